"""Pages of the site that are made: the README as its first page, the root's other documents, the list of decisions, the
references of C++ and Python, and the pictures of the records. mkdocs.yml names this file; docs/ holds the rest."""

import ast
import pathlib
import re
import sys
import tempfile

from mkdocs.structure.files import File

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cpp_reference

ROOT = pathlib.Path(__file__).resolve().parents[1]
# The root's documents and their pages.
ROOT_PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def linked_from_the_site(text):
    """A document of the root with the links that it has as a page."""
    text = re.sub(r"\]\(docs/", "](", text)
    text = text.replace("](decisions/)", "](decisions/index.md)").replace("](papers/)", "](papers/index.md)")
    for name, page in ROOT_PAGES.items():
        text = text.replace(f"]({name})", f"]({page})")
    return text


# Where the names of the Python package come from, and under which heading they stand.
PYTHON_ROOMS = {"_context": "Contexts", "_core": "Matrices and vectors", "_convert": "Inputs and outputs", "_operations": "Operations",
                "_dense": "Dense operands", "_products": "More on products", "_plan": "Plans", "_algorithms": "Searches and paths",
                "_vertices": "One number a vertex", "_structure": "Parts of a graph, and closeness", "_reorder": "Reordering",
                "errors": "Errors"}


def python_reference():
    """A page of directives for mkdocstrings: every public name of the package, by the module that it comes from."""
    package = ROOT / "python/nonzero"
    names = {}
    for node in ast.parse((package / "__init__.py").read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names.setdefault(node.module, []).extend(n.name for n in node.names if not n.name.startswith("_"))
    names["errors"] = [n.name for n in ast.parse((package / "errors.py").read_text()).body if isinstance(n, ast.ClassDef)]
    unknown = set(names) - set(PYTHON_ROOMS)
    if unknown:
        raise ValueError(f"scripts/site_hooks.py: no heading for {', '.join(sorted(unknown))}")
    out = ["# Python reference", "", "Everything here is in `import nonzero as nz`. With examples: [Python](../guide/python.md).", ""]
    for module, title in PYTHON_ROOMS.items():
        out += [f"## {title}", ""]
        path = package / f"{module}.py"
        about = ast.get_docstring(ast.parse(path.read_text())) if path.exists() else None
        if about:
            out += ["```text", about, "```", ""]
        prefix = "nonzero.errors." if module == "errors" else "nonzero."
        for name in names.get(module, []):
            out += [f"::: {prefix}{name}", ""]
    return "\n".join(out)


def records():
    """{path: content} of a page with the pictures of each device's last full run, and of the pictures."""
    from nonzero import report

    out = ["# The records in pictures", "", "Drawn from `bench/records/` by [`python -m nonzero.report`](guide/pictures.md).", ""]
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        for record in sorted((ROOT / "bench/records").glob("*.json")):
            page = report.report([record], pathlib.Path(folder) / record.stem).read_text()
            about = re.search(r'<p class="about">(.*?)</p>', page)[1]
            out += [f"## {record.stem}", "", about, ""]
            figures = re.findall(r"<h3>(.*?)</h3>\n<figure><img [^>]*>\n<figcaption>(.*?) <small>(.*?)</small>", page)
            if not figures:
                raise ValueError(f"{record.name}: no picture was found in the report")
            for title, caption, name in figures:
                out += [f"### {title}", "", f"![{title}](images/records/{name})", "", caption, ""]
                made[f"images/records/{name}"] = (pathlib.Path(folder) / record.stem / name).read_bytes()
    return made | {"records.md": "\n".join(out)}


def decisions():
    out = ["# Decisions", "", "What was decided where building showed a better way than the first, and why.", ""]
    for path in sorted((ROOT / "docs/decisions").glob("*.md")):
        title = path.read_text().split("\n", 1)[0].removeprefix("# ")
        number, _, words = title.partition(". ")
        out.append(f"- {int(number)}. [{words}]({path.name})")
    return "\n".join(out) + "\n"


def on_files(files, config):
    made = {page: linked_from_the_site((ROOT / name).read_text()) for name, page in ROOT_PAGES.items()}
    made["decisions/index.md"] = decisions()
    made["api/cpp.md"] = cpp_reference.page()
    made["api/python.md"] = python_reference()
    made |= records()
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_config(config):
    for section in config["nav"]:  # decisions are pages of their own, found by folder
        pages = section.get("Project")
        if pages:
            found = [f"decisions/{p.name}" for p in sorted((ROOT / "docs/decisions").glob("*.md"))]
            pages[pages.index("decisions/index.md")] = {"Decisions": ["decisions/index.md", *found]}
    return config
