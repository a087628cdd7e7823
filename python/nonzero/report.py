"""Draws what the benchmarks and the verbs write as JSON: PNGs, and one HTML page that holds them all.

    nz bench spmv ... -o spmv.json; nz bfs rmat:20,16 --json > bfs.json
    python -m nonzero.report spmv.json bfs.json --output pictures

Reads Google Benchmark's JSON (`nz bench SUITE -o FILE`), records (bench/records/*.json) and objects that verbs print
(`nz bfs --json`, `nz info --json`; one a line), and takes up pictures as they are (`nz spy -o FILE.png`). Needs matplotlib:
pip install 'nonzero[report]'.
"""

from __future__ import annotations

import argparse
import base64
import html
import io
import pathlib
import re
import sys

from . import _pictures
from ._pictures import share_text, time_text, unique
from ._results import PEERS, Source, UnreadableResults, read

_BARS = (
    ("peers", _pictures.speed_against_peers, "{0}: speed against other libraries",
     "How many times as fast as each library's fastest variant nonzero's {1} is; the line is equal speed."),
    ("floor", _pictures.share_of_floor, "{0}: share of the floor",
     "The floor is the least time that the rates measured on that machine (nz bench limits) allow for the bytes and "
     "scattered accesses of the work; for spadd, for its bytes at the copy rate."),
    ("roofline", _pictures.roofline, "{0}: roofline of {1}",
     "Strokes are the floor of each input, the line the rate of bytes that the floors allow: strokes below it are floors that "
     "scattered accesses set."),
    ("stack", _pictures.speedup_stack, "{0}: what each optimisation adds",
     "Switched on one after another, each with all before it (yang2018's table 2)."),
    ("variants", _pictures.every_variant, "{0}: every variant", "The time of each kernel or way of asking, input by input."),
    ("work", _pictures.time_against_work, "{0}: time against work",
     "A time that follows the work alone is predictable: r = 1 (dalton2015's figures 6, 8 and 10)."),
    ("scaling", _pictures.scaling, "{0}: Kronecker graphs of growing scale", "Both directions of edges are stored."),
)

# Operations whose names hold sizes or levels have pictures of their own.
_OWN = {
    "matam2012 divided": (
        ("divisions", lambda found, _: _pictures.divisions(found), "A product by CPU and GPU together, however it is divided",
         "Filling and bringing over; the best is the least of what searching shares and dividing as it goes took (matam2012, figures 7 and 8)."),
    ),
    "yang2018 products": (
        ("entries", lambda found, _: _pictures.over_entries(found), "Products by rows and by columns, masked and not",
         "By rows the vector's entries do not matter, under a mask its entries do; by columns the vector's (yang2018, figure 2)."),
    ),
    "yang2018 levels": (
        ("breakdown", lambda found, _: _pictures.level_breakdown(found), "A search level by level: edges of the frontier, push and pull",
         "Every level by push after pushes, and by pull after pulls (yang2018, figure 5)."),
        ("sizes", lambda found, source: _pictures.levels_over_sizes(
            found, [m for m in source.measurements if m.operation == "yang2018 products"]),
         "Levels of searches over their sizes, beside random vectors",
         "Frontiers of a Kronecker graph meet the strongest vertices first: push goes round, pull falls once they are visited "
         "(yang2018, figure 6)."),
    ),
}

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc; } h3 { margin-bottom: .2rem; }
img { max-width: 100%; height: auto; } figure { margin: .5rem 0 1.5rem; } figcaption, .about { color: #555; }
table { border-collapse: collapse; font-size: .9rem; } th, td { text-align: left; padding: .15rem .8rem .15rem 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; } nav a { margin-right: 1rem; }
"""


def _save(figure, path):
    """Writes the PNG and gives it as a data URL."""
    memory = io.BytesIO()
    figure.savefig(memory, format="png", metadata={"Software": None})
    path.write_bytes(memory.getvalue())
    return "data:image/png;base64," + base64.b64encode(memory.getvalue()).decode()


def _stem(*words):
    return re.sub(r"[^A-Za-z0-9.]+", "_", "_".join(words)).strip("_")


def _figure_html(title, caption, url, name):
    return (
        f'<h3>{html.escape(title)}</h3>\n<figure><img src="{url}" alt="{html.escape(title)}">\n'
        f"<figcaption>{html.escape(caption)} <small>{html.escape(name)}</small></figcaption></figure>\n"
    )


def _table(found):
    rows = "".join(
        f"<tr><td>{html.escape(m.input)}</td><td>{html.escape(m.facet)}</td><td>{html.escape(m.variant)}</td>"
        f'<td class="number">{time_text(m.ms)}</td><td class="number">'
        + ("" if m.share_of_floor is None else share_text(m.share_of_floor))
        + "</td></tr>\n"
        for m in found
    )
    return (
        f"<details><summary>{len(found)} measurements</summary><table><thead><tr><th>input</th><th></th><th>variant</th>"
        f'<th class="number">time</th><th class="number">of the floor</th></tr></thead><tbody>\n{rows}</tbody></table></details>\n'
    )


def _benchmarks(source, folder):
    parts = []
    for operation in unique(m.operation for m in source.measurements):
        found = [m for m in source.measurements if m.operation == operation]
        compared = [m for m in found if m.compared]
        for kind, draw, title, caption in _OWN.get(operation, ()):
            name = _stem(source.path.stem, operation, kind) + ".png"
            parts.append(_figure_html(title, caption, _save(draw(found, source), folder / name), name))
        for kind, draw, title, caption in _BARS:
            stacked = operation.endswith(" stack")  # its variants build on each other
            figure = draw(compared) if compared and operation not in _OWN and stacked == (kind == "stack") else None
            if figure is not None:
                name = _stem(source.path.stem, operation, kind) + ".png"
                words = operation, _pictures.main_variant(compared)
                parts.append(_figure_html(title.format(*words), caption.format(*words), _save(figure, folder / name), name))
        parts.append(f"<h3>{html.escape(operation)}: figures</h3>\n" if not compared else "")
        parts.append(_table(found))
    return parts


def _objects(source, folder):
    parts = []
    for k, found in enumerate(source.objects):
        where = found.get("input", {}).get("name", "")
        number = str(k + 1) if len(source.objects) > 1 else ""
        for kind, draw, title, caption in (
            ("levels", _pictures.levels, "{}: frontier and direction, level by level",
             "Push: vertices of the frontier look at their neighbours. Pull: vertices not visited yet look for one in the "
             "frontier (yang2018, figure 5)."),
            ("degrees", _pictures.degrees, "{}: entries of rows", "Classes double in width."),
        ):
            figure = draw(found)
            if figure is not None:
                name = _stem(source.path.stem, kind, number) + ".png"
                parts.append(_figure_html(title.format(where), caption, _save(figure, folder / name), name))
    return parts


def _picture(source, folder):
    """A picture as it is, copied into the folder too."""
    content = source.path.read_bytes()
    if (folder / source.path.name).resolve() != source.path.resolve():
        (folder / source.path.name).write_bytes(content)
    return [_figure_html(source.path.stem, "", "data:image/png;base64," + base64.b64encode(content).decode(), source.path.name)]


def _section(source: Source, folder, number):
    draw = {"benchmarks": _benchmarks, "picture": _picture}.get(source.kind, _objects)
    parts = draw(source, folder)
    if not any(parts):
        parts = ["<p>Nothing to draw: the file holds no levels, no histogram and no times.</p>\n"]
    about = ", ".join(f"{k} {v}" for k, v in source.about.items() if v)
    return (
        f'<h2 id="part{number}">{html.escape(source.path.name)}</h2>\n<p class="about">{html.escape(about)}</p>\n' + "".join(parts)
    )


def report(files, output, *, title: str = "Nonzero: measurements") -> pathlib.Path:
    """Draws all `files` into the folder `output`: PNGs, and index.html, which holds them too and needs no other file.

    Returns the path of the page. Raises UnreadableResults (a ValueError) for a file that it does not know, OSError.
    """
    sources = [read(f) for f in files]
    folder = pathlib.Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    links = "".join(f'<a href="#part{k}">{html.escape(s.path.name)}</a>' for k, s in enumerate(sources))
    body = "".join(_section(s, folder, k) for k, s in enumerate(sources))
    page = folder / "index.html"
    page.write_text(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>\n<body><h1>{html.escape(title)}</h1>\n"
        f"<nav>{links}</nav>\n{body}<p class=\"about\">Other libraries: {html.escape(', '.join(PEERS.values()))}; of several "
        f"variants of one the fastest. Colours: Okabe and Ito's.</p></body></html>\n"
    )
    return page


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m nonzero.report", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="from nz bench -o, bench/records, nz VERB --json; pictures (nz spy)")
    parser.add_argument("--output", "-o", required=True, metavar="DIR", help="folder for index.html and the PNGs")
    parser.add_argument("--title", default="Nonzero: measurements")
    options = parser.parse_args(arguments)
    try:
        page = report(options.files, options.output, title=options.title)
    except ModuleNotFoundError as why:
        if (why.name or "").split(".")[0] != "matplotlib":
            raise
        print("nonzero.report needs matplotlib: pip install matplotlib", file=sys.stderr)
        return 2
    except (UnreadableResults, OSError) as why:
        print(f"nonzero.report: {why}", file=sys.stderr)
        return 2
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
