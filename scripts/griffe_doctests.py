"""An extension of griffe, which reads the Python package for its reference: examples in docstrings (>>> up to an empty line) become
blocks of code. mkdocs.yml names this file."""

import re

import griffe


class Doctests(griffe.Extension):
    def on_instance(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = re.sub(r"^>>> (?:.|\n(?!\n|$))*", lambda found: f"```pycon\n{found[0].rstrip()}\n```",
                                         obj.docstring.value, flags=re.MULTILINE)
