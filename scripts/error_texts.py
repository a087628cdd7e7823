#!/usr/bin/env python3
"""Writes the list of docs/errors.md from the texts in the sources; --check says whether it is stale.

A text is the format of a require<E>(), fail<E>(), throw E(...) or of a reader's own function that throws, or what a check of an
option of nz returns; {} stands for what it names. A throw without a text of its own passes on another's and has to be listed in PASSED_ON."""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/errors.md"
MARK = "<!-- made by scripts/error_texts.py -->"

ROOMS = {"src/core": "Contexts, memory, devices", "src/algebra": "Operators and semirings", "src/storage": "Matrices and vectors",
         "src/io": "Files and generators", "src/ops": "Operations", "src/algorithms": "Algorithms", "src/kernels": "Kernels",
         "src/plan": "Plans", "src/instantiate": "Kernels", "cli": "The command line", "python": "The Python package"}
# Sites that throw what others wrote: helpers that format, and errors that are given a place or another type.
PASSED_ON = {"src/core/checks.hpp", "src/core/cuda_check.hpp", "src/io/gzip.cpp", "src/io/matrix_market.cpp", "src/io/text.cpp",
             "src/io/text.hpp", "src/io/output_file.cpp", "src/io/png.cpp", "src/io/edge_list.cpp", "src/io/load.cpp",
             "src/core/device_copies_absent.cpp", "src/storage/edge_weights.cpp", "cli/main.cpp", "cli/common.cpp", "python/src/module.cpp",
             "python/src/bind.hpp", "python/nonzero/report.py"}
SITE = re.compile(r"\b(?:(?P<guard>require)<(?P<required>\w+)>|fail<(?P<failed>\w+)>|throw (?:nb::|py::|nz::)?(?P<thrown>\w+)"
                  r"|(?P<helper>refuse|complain|\w+\.fail|fail_at|fail_with|not_served))(?=[({])")
# Of the command line's options: what looks at a word and returns a text where it is wrong.
CHECK = re.compile(r"->(?:check|transform)(?=\(\[)|\bValidator\((?P<name>\w+)")
RETURN = re.compile(r'return ((?:"(?:\\.|[^"\\])*"|[^";])*);')
LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')
# Errors by the names that throws give them, and what else is thrown.
KINDS = {"usage_error": "wrong usage", "text_error": "invalid_format", "error": "error"}
HELPERS = {"src/io": "invalid_format", "cli": "wrong usage", "src/storage": "domain_error", "src/kernels": "not_supported"}


def without_comments(text):
    return re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*', lambda m: m[1] or "", text)


def arguments(text, start):
    """The top-level arguments of a call whose bracket opens at `start`."""
    depth, at, begin, found, quoted = 0, start, start + 1, [], None
    while True:
        c = text[at]
        if quoted:
            if c == "\\":
                at += 1
            elif c == quoted:
                quoted = None
        elif c == '"' or c == "'":
            quoted = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                found.append(text[begin:at])
                return found
        elif c == "," and depth == 1:
            found.append(text[begin:at])
            begin = at + 1
        at += 1


def text_of(expression):
    """Literals and what is joined to them by +, as one text: other operands are {}. None where there is no literal."""
    parts, has_literal = [], False
    for operand in re.split(r"\s\+\s(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", expression.strip()):
        literals = LITERAL.findall(operand)
        if literals and re.sub(LITERAL, "", operand).strip() == "":
            parts.append("".join(literals))
            has_literal = True
        else:
            parts.append("{}")
    return "".join(parts) if has_literal else None


def texts_of(expressions):
    """The texts among arguments: formats of fmt::format wherever they stand, and literals that stand by themselves."""
    found = []
    for expression in expressions:
        formats = [m.end() - 1 for m in re.finditer(r"fmt::format\(", expression)]
        if formats:
            for start in formats:
                first = text_of(arguments(expression, start)[0])
                if first:
                    found.append(first)
        else:
            for branch in re.split(r"\?|\s:\s", expression) if re.search(r"\?[^\"]*\"", expression) else [expression]:
                text = text_of(branch)
                if text:
                    found.append(text)
    return found


def tidy(text):
    text = text.replace('\\"', '"').replace("\\\\", "\\").replace("\\n", " ").replace("{{", "{").replace("}}", "}")
    return re.sub(r"\{\d*(:[^}]*)?\}", "{}", text).strip()


def in_cpp(path, room):
    name, code = path.relative_to(ROOT).as_posix(), without_comments(path.read_text())
    for site in SITE.finditer(code):
        if code[max(0, site.start() - 40):site.start()].rstrip().endswith(("void", "int", "[[noreturn]]")):
            continue  # the helper itself
        given = arguments(code, site.end())
        kind = site["required"] or site["failed"] or site["thrown"]
        kind = KINDS.get(kind, kind) if kind else HELPERS.get(room, "error")
        if site["helper"] == "fail_with":  # between the file and the operating system's words
            kind, given = "error", [f'"{{}}: " + {given[0]} + ": {{}}"']
        if site["helper"] == "complain":
            kind = "error" if given[0].strip() == "failed" else "wrong usage"
        if site["guard"]:  # a condition may hold commas: templates
            given = [g for g in given[1:] if text_of(g)][:1]
        elif site["failed"]:
            given = given[:1]
        texts = [t for t in map(tidy, texts_of(given)) if re.search(r"[a-z]{2}", t)]
        if not texts and name not in PASSED_ON:
            line = code.count("\n", 0, site.start()) + 1
            raise ValueError(f"{name}:{line}: an error without a text: write one, or list the file in PASSED_ON")
        for text in texts:
            yield kind, text


def checks(path):
    """The texts of option checks: of lambdas, and of functions by name."""
    code = without_comments(path.read_text())
    for site in CHECK.finditer(code):
        at = site.end()
        if site["name"]:
            function = re.search(rf"std::string {site['name']}\([^)]*\) (?={{)", code)
            if not function:
                continue
            at = function.end()
        for answer in RETURN.findall(",".join(arguments(code, at))):
            for text in map(tidy, texts_of([answer])):
                if re.search(r"[a-z]{2}", text):
                    yield "wrong usage", text


def in_python(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args):
            continue
        given, kind = node.exc.args[0], ast.unparse(node.exc.func).split(".")[-1]
        if isinstance(given, ast.Constant):
            yield kind, str(given.value)
        elif isinstance(given, ast.JoinedStr):
            yield kind, "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in given.values)


def collected():
    """{room's title: {kind: texts}}"""
    found = {}
    for room, title in ROOMS.items():
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".cu", ".cuh"):
                pairs = [*in_cpp(path, room), *checks(path)]
            elif path.suffix == ".py" and "tests" not in path.parts:
                pairs = in_python(path)
            else:
                continue
            for kind, text in pairs:
                found.setdefault(title, {}).setdefault(kind, set()).add(text)
    return found


def code(text):
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def page():
    head = PAGE.read_text().split(MARK)[0]
    out = [head.rstrip(), "", MARK, ""]
    for title, kinds in collected().items():
        out += [f"## {title}", ""]
        for kind in sorted(kinds):
            out += [f"**{kind}**", "", *(f"- {code(text)}" for text in sorted(kinds[kind], key=str.lower)), ""]
    return "\n".join(out).rstrip() + "\n"


def main():
    if "--check" in sys.argv[1:]:
        if PAGE.read_text() != page():
            print("docs/errors.md is stale: run scripts/error_texts.py")
            return 1
        print("error texts: current")
        return 0
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
