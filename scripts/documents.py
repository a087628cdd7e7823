"""The fenced blocks of README.md and of docs/, and which test runs those of each language."""

import pathlib
import re
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Who runs a block. `output` is what the block before it prints, `text` is no code.
LANGUAGES = {
    "python": "python/tests/test_documents.py",
    "sh": "scripts/run_documents.py",
    "cpp": "scripts/run_documents.py",
    "c": "scripts/run_documents.py",
    "cuda": "scripts/run_documents.py",
    "console": "scripts/run_documents.py",
    "output": "the test of the block before it",
    "text": "nobody: no code",
}


class Block(NamedTuple):
    document: str  # path from the root
    line: int  # of its first line of code
    language: str
    code: str
    output: str | None  # what the `output` block behind it says

    @property
    def name(self):
        return f"{self.document}:{self.line}"


def pages():
    """The documents whose blocks run: all but those that a script makes."""
    return [ROOT / "README.md", *sorted(p for p in (ROOT / "docs").rglob("*.md") if p.name != "kernels.md")]


def blocks_of(path):
    """The blocks of one document. A fence without a language, or a block that is indented in its place, is an error."""
    text = path.read_text()
    found = []
    for fence in re.finditer(r"^( *)```([^\n]*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL):
        indent, words, code = fence[1], fence[2].split(), fence[3]
        line = text.count("\n", 0, fence.start()) + 2
        document = path.relative_to(ROOT).as_posix()
        language = words[0] if words else ""
        if language not in LANGUAGES:
            raise ValueError(f"{document}:{line - 1}: a block in '{language}': known are {', '.join(LANGUAGES)}")
        code = "".join(part.removeprefix(indent) for part in code.splitlines(True))
        if language == "output":
            if not found:
                raise ValueError(f"{document}:{line - 1}: output of what?")
            found[-1] = found[-1]._replace(output=code)
        else:
            found.append(Block(document, line, language, code, None))
    return found


def blocks(*languages):
    return [b for page in pages() for b in blocks_of(page) if b.language in languages]


def prints(expected, found):
    """Whether `found` is `expected`, in which ... stands for anything, in a line or for lines. Blanks at ends do not count."""

    def lines(text):
        return "\n".join(line.rstrip() for line in text.strip().splitlines())

    pattern = ".*?".join(re.escape(part) for part in lines(expected).split("..."))
    return re.fullmatch(pattern, lines(found), re.DOTALL) is not None
