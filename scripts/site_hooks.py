"""Pages of the site that are made: the README as its first page, the root's other documents, the list of decisions, the
references of C++ and Python, and the pictures of the records. mkdocs.yml names this file; docs/ holds the rest."""

import ast
import html
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


# What of a paper the pictures of a bench show.
PAPER_FIGURES = {
    "yang2015 bfs": "Tables I, II and IV, figure 2", "yang2015 crossing": "Section IV: where SpMV becomes the faster",
    "dalton2015 union": "Figure 2", "dalton2015 sort": "Figure 4", "dalton2015 spmv": "Figures 5 and 6", "dalton2015 spadd": "Figures 7 and 8",
    "dalton2015 spgemm": "Figures 9 and 10", "dalton2015 phases": "Figure 11", "yang2018 stack": "Table 2", "yang2018 products": "Figure 2",
    "yang2018 levels": "Figures 5 and 6", "yang2018 libraries": "Figure 7", "ji2022 spmspv": "Figure 6", "ji2022 search": "Figures 7, 8 and 12",
    "ji2022 phases": "Figure 9", "matam2012 spgemm": "Figures 5 and 6", "matam2012 limited": "Products within a memory limit",
    "matam2012 divided": "Figures 7 and 8", "matam2012 band": "Figure 9", "spmm": "Figure 10",
}


class PaperFigures:
    """The pictures of the papers' benches, by paper: what a page of a paper ends with."""

    def __init__(self):
        self.of = {}

    def add(self, record, name, title, caption):
        stem = re.sub(r"[^A-Za-z0-9.]+", "_", record) + "_"
        for operation, shows in PAPER_FIGURES.items():
            if name.startswith(stem + operation.replace(" ", "_") + "_"):
                key = operation.split()[0] if " " in operation else "matam2012"
                self.of.setdefault(key, []).append((list(PAPER_FIGURES).index(operation), shows, record, name, title, caption))

    def section(self, key):
        out, last = ["", "## Our figures", "", "Drawn from `bench/records/`, the last full run on each machine.", ""], None
        for _, shows, record, name, title, caption in sorted(self.of.get(key, [])):
            if shows != last:
                out += [f"### {shows}", ""]
                last = shows
            out += [f"![{title}](../images/records/{name})", "", f"{record}: {title}. {caption}", ""]
        return "\n".join(out) + "\n" if last else ""


PAPERS = PaperFigures()


def records():
    """{path: content} of a page with the pictures of each device's last full run, and of the pictures."""
    from nonzero import report

    out = ["# The records in pictures", "", "Drawn from `bench/records/` by [`python -m nonzero.report`](guide/pictures.md).", ""]
    made = {}
    PAPERS.of.clear()
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
                PAPERS.add(record.stem, name, html.unescape(title), html.unescape(caption))
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


def on_page_markdown(markdown, page, config, files):
    folder, _, name = page.file.src_uri.rpartition("/")
    return markdown + PAPERS.section(name.removesuffix(".md")) if folder == "papers" else markdown


def on_config(config):
    for section in config["nav"]:  # decisions are pages of their own, found by folder
        pages = section.get("Project")
        if pages:
            found = [f"decisions/{p.name}" for p in sorted((ROOT / "docs/decisions").glob("*.md"))]
            pages[pages.index("decisions/index.md")] = {"Decisions": ["decisions/index.md", *found]}
    return config
