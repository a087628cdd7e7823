"""The C++ reference as one page, made from the public headers: what stands above a declaration (///, or the //
essay that a header opens with) as text, and the declaration itself."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADERS = ROOT / "include/nonzero"
# What a reader meets first comes first; the others follow by name.
ORDER = ("context", "types", "matrix", "vector", "views", "algebra", "operations", "plan", "algorithms", "traverse", "shortest",
         "io", "errors")


def essay(lines):
    """The comment that a header opens with, and where it ends."""
    end = next(k for k, line in enumerate(lines) if not line.startswith("//"))
    return " ".join(line[2:].strip() for line in lines[:end]), end


def balanced(text):
    """Whether a declaration ends here: no bracket open, and a ; or } last."""
    code = re.sub(r"//[^\n]*", "", text)
    code = re.sub(r'"(\\.|[^"\\])*"' + r"|'(\\.|[^'\\])'", "", code)
    return code.rstrip().endswith((";", "}")) and all(code.count(a) == code.count(b) for a, b in ("{}", "()"))


def for_readers(declaration):
    """A class without what is private, a function without its body."""
    function = re.match(r"(template <[^\n]*>\n)?(?!class|struct|enum|inline constexpr|using)[^{]*?\(.*?\)(?= \{)", declaration, re.DOTALL)
    if function:
        return function[0] + ";"
    return re.sub(r"\n *private:\n.*?(?=\n\};)", "", declaration, flags=re.DOTALL)


def items(text):
    """(comment, declaration) in the order of the header, of what stands in namespace nz itself."""
    lines = text.split("\n")
    _, at = essay(lines)
    depth, comment, found = 0, [], []
    while at < len(lines):
        line = lines[at]
        at += 1
        opened = re.match(r"namespace ([\w:]+) \{", line)
        if opened:
            inside = [opened[1]]
            if opened[1] != "nz":  # rooms of the library's own: not public
                while not re.fullmatch(r"\}( *//.*)?", lines[at]):
                    at += 1
                at += 1
            continue
        if line.startswith("///"):
            comment.append(line[3:].removeprefix(" "))
        elif not line.strip() or line.startswith(("#", "//", "}")):
            comment = [] if not line.strip() else comment
        else:
            declaration = line
            while not balanced(declaration):
                declaration += "\n" + lines[at]
                at += 1
            found.append((" ".join(comment), for_readers(declaration)))
            comment = []
    return found


def name_of(declaration):
    """The name that is declared; empty for what is only announced (class x;)."""
    code = re.sub(r"^template <[^\n]*>\n|^ *requires [^\n]*\n", "", declaration, flags=re.MULTILINE).replace("decltype(auto)", "auto")
    kind = re.match(r"(?:class|struct|enum class|concept|using)\s+(\w+)", code)
    if kind:
        return "" if re.fullmatch(r"(class|struct) \w+;", code.strip()) else kind[1]
    called = re.match(r"[^({=;]*?\b(operator\W+|\w+)\s*(?:\(|=|\{|;)", code)
    return called[1] if called else ""


def escaped(text):
    """Plain text, in which < and * and _ mean themselves; what stands between backticks is code."""
    parts = text.split("`")
    return "`".join(part if k % 2 else re.sub(r"([\\*_<>\[\]|])", r"\\\1", part) for k, part in enumerate(parts))


def section(path):
    text = path.read_text()
    out = [f"## {path.name}", "", escaped(essay(text.split("\n"))[0]), ""]
    entries = [(comment, code, name_of(code)) for comment, code in items(text)]
    previous = None
    for comment, code, name in entries:
        if not name:
            continue
        if name != previous:
            out += [f"### {name}", ""]
        if comment:
            out += [escaped(comment), ""]
        out += ["```cpp", code, "```", ""]
        previous = name
    return out


def page():
    paths = {p.stem: p for p in HEADERS.glob("*.hpp") if p.stem != "nonzero"}
    names = [n for n in ORDER if n in paths] + sorted(set(paths) - set(ORDER))
    out = ["# C++ reference", "", "`#include <nonzero/nonzero.hpp>` includes all of these; all names are in namespace `nz`.", ""]
    for name in names:
        out += section(paths[name])
    return "\n".join(out)


if __name__ == "__main__":
    print(page())
