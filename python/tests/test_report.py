"""Pictures of what the benchmarks and the verbs write."""

import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("matplotlib")

from nonzero import _pictures, report  # noqa: E402
from nonzero._results import Measurement, UnreadableResults, read, split_name  # noqa: E402

PATTERN = pathlib.Path(__file__).resolve().parents[2] / "docs/images/rmat.png"
RECORDS = sorted((pathlib.Path(__file__).resolve().parents[2] / "bench/records").glob("*.json"))


def benchmarks(results, unit="ms"):
    """Google Benchmark's JSON with {name: (time, counters)}."""
    return {
        "context": {"date": "2026-01-01T00:00:00+00:00", "num_cpus": 2},
        "benchmarks": [
            {"name": f"{name}/iterations:1/manual_time", "run_type": "iteration", "real_time": time, "cpu_time": time,
             "time_unit": unit, "iterations": 1, "threads": 1, **counters}
            for name, (time, counters) in results.items()
        ],
    }


SPGEMM = benchmarks(
    {
        f"spgemm/{name}/{variant}": (time * factor, {"products": 1e6 * factor} if variant == "planned" else {})
        for name, factor in (("random:10,2", 1), ("random:20,2", 2), ("/data/cage.mtx.gz", 4))
        for variant, time in (("planned", 2.0), ("hash", 3.0), ("graphblas", 8.0), ("eigen", 1.0), ("estimate", 0.1))
    }
)
FLOORS = benchmarks(
    {
        f"spmv/rmat:{scale},16/{type}/{variant}": (2.0**scale / rate, {"entries": 2.0**scale, "share_of_floor": share})
        for scale in (10, 11, 12)
        for type, rate in (("float64", 1e3), ("float32", 2e3))
        for variant, share in (("planned", 0.9), ("csr_row", 0.004), ("cusparse_alg1", 0.5), ("cusparse_alg2", 0.6))
    },
    unit="us",
)
ROOFS = benchmarks(
    {
        f"spmv/{name}/float64/planned": (1.0, {"gflops": 100 * share, "gbytes_per_s": 800 * share, "share_of_floor": share})
        for name, share in (("random:10,2", 0.25), ("random:20,2", 0.5), ("random:40,2", 0.75))
    }
)
STACK = benchmarks(
    {
        f"yang2018/stack/rmat:9,4/{form}/{stage}": (1.0 / rate, {"gteps": rate})
        for form in ("loop", "fused")
        for stage, rate in (("baseline", 1.0), ("masking", 4.0), ("early exit", 3.0))
    }
)
SEARCHES = benchmarks(
    {
        f"yang2018/products/rmat:9,4/{count}/{form}": (0.01 * count if form != "row" else 5.0, {"vector_entries": count})
        for count in (2, 64, 512)
        for form in ("row", "row_masked", "column", "column_masked")
    }
    | {
        f"yang2018/levels/rmat:9,4/{level}/{way}": (
            0.1 * level, {"frontier": 10**level, "unvisited": 500 - 100 * level, "edges_forward": 7, "edges_within": 5, "edges_back": 3})
        for level in (1, 2, 3)
        for way in ("push", "pull")
    }
)
DIVIDED = benchmarks({
    f"matam2012/divided/{name}": (3.0, {"best_ms": 2.0, "first_ms": 4.0, "second_ms": 2.5, "gpu_ms": 6.0, "cpu_ms": 8.0})
    for name in ("rmat:9,4", "banded:100,3")
})
BFS = {
    "command": "bfs", "device": "a processor", "input": {"name": "rmat:5,4"},
    "iterations": [
        {"direction": way, "kernel": "k", "frontier": f, "unvisited": u, "time_us": t, "reason": "r"}
        for way, f, u, t in (("push", 1, 31, 2.0), ("pull", 20, 11, 5.0), ("push", 3, 8, 0.0))
    ],
}  # fmt: skip
DEEP = BFS | {
    "iterations": [{"direction": "push", "frontier": k + 1, "unvisited": 500 - k, "time_us": 1.0} for k in range(300)]
}
INFO = {
    "command": "info", "device": "a processor", "input": {"name": "rmat:5,4"},
    "histogram": [{"from": 0, "to": 0, "rows": 3}, {"from": 1, "to": 1, "rows": 0}, {"from": 2, "to": 3, "rows": 12}],
}  # fmt: skip


def written(folder, name, content):
    path = folder / name
    path.write_text("\n".join(json.dumps(c) for c in content) if isinstance(content, list) else json.dumps(content))
    return path


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.images, self.outside = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in ("img", "meta"):
            self.open.append(tag)
        if tag == "img":
            assert attributes["alt"]
            self.images.append(attributes["src"])
        links = [attributes.get("src", ""), attributes.get("href", "")]
        self.outside += [x for x in links if x and not x.startswith(("data:image/png;base64,", "#"))]
        assert tag not in ("script", "link")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked_page(folder):
    """The page is whole, needs no other file, and holds every PNG beside it."""
    page = Page((folder / "index.html").read_text())
    pictures = sorted(folder.glob("*.png"))
    assert not page.open and not page.outside and len(page.images) == len(pictures)
    for picture in pictures:
        assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 5000
    return [p.name for p in pictures]


def test_a_report_of_everything(tmp_path):
    files = [
        written(tmp_path, "spgemm.json", SPGEMM),
        written(tmp_path, "floors.json", FLOORS),
        written(tmp_path, "bfs.json", [BFS, DEEP]),
        written(tmp_path, "info.json", INFO),
        written(tmp_path, "roofs.json", ROOFS),
        written(tmp_path, "stack.json", STACK),
        written(tmp_path, "searches.json", SEARCHES), written(tmp_path, "divided.json", DIVIDED),
    ]
    files.append(pathlib.Path(shutil.copy(PATTERN, tmp_path / "pattern.png")))
    out = tmp_path / "deep" / "pictures"
    assert report.main([str(f) for f in files] + ["--output", str(out)]) == 0
    assert checked_page(out) == [
        "bfs_levels_1.png", "bfs_levels_2.png", "divided_matam2012_divided_divisions.png",
        "floors_spmv_floor.png", "floors_spmv_peers.png", "floors_spmv_scaling.png", "floors_spmv_variants.png",
        "floors_spmv_work.png",
        "info_degrees.png", "pattern.png", "roofs_spmv_floor.png", "roofs_spmv_roofline.png", "roofs_spmv_variants.png",
        "searches_yang2018_levels_breakdown.png", "searches_yang2018_levels_sizes.png",
        "searches_yang2018_products_entries.png",
        "spgemm_spgemm_peers.png", "spgemm_spgemm_variants.png", "spgemm_spgemm_work.png",
        "stack_yang2018_stack_stack.png",
    ]  # fmt: skip


def test_the_repositorys_records(tmp_path):
    """A run of some suites alone moves the others to another record of the same device: asked is what they hold together."""
    report.report(RECORDS, tmp_path)
    names, page = checked_page(tmp_path), (tmp_path / "index.html").read_text()
    for kind in ("spgemm_peers", "spgemm_work", "bfs_floor", "spmv_floor", "spmv_peers"):
        assert any(name.startswith("nvidia_h200") and name.endswith(f"_{kind}.png") for name in names), kind
    assert all(record.stem in page for record in RECORDS)


def test_divisions_are_held_against_the_best(tmp_path):
    found = read(written(tmp_path, "divided.json", DIVIDED)).measurements
    dots = {c.get_label(): [x for x, _ in c.get_offsets()] for c in _pictures.divisions(found).axes[0].collections}
    assert dots["as it goes"] == [1.5, 1.5] and dots["GPU alone"] == [3, 3] and dots["CPU alone"] == [4, 4]


def searches(folder):
    found = read(written(folder, "searches.json", SEARCHES)).measurements
    return tuple([m for m in found if m.operation == f"yang2018 {what}"] for what in ("products", "levels"))


def test_searches_lie_where_their_sizes_are(tmp_path):
    products, steps = searches(tmp_path)
    lines = {line.get_label(): list(zip(*line.get_data())) for line in _pictures.levels_over_sizes(steps, products).axes[0].lines}
    assert lines["level by push: frontier"] == [(10, 0.1), (100, 0.2), (1000, pytest.approx(0.3))]
    assert lines["level by pull: not visited"] == [(400, 0.1), (300, 0.2), (200, pytest.approx(0.3))]
    assert lines["by rows"] == [(2, 5.0), (64, 5.0), (512, 5.0)]
    assert lines["by columns"][1] == (64, pytest.approx(0.64))


def figures(folder):
    for name, content in (("spgemm.json", SPGEMM), ("floors.json", FLOORS), ("roofs.json", ROOFS), ("stack.json", STACK), *((r.name, json.loads(r.read_text())) for r in RECORDS)):
        source = read(written(folder, name, content))
        for operation in {m.operation for m in source.measurements}:
            found = [m for m in source.measurements if m.operation == operation and m.compared]
            for draw in (_pictures.speed_against_peers, _pictures.share_of_floor, _pictures.every_variant,
                         _pictures.time_against_work, _pictures.scaling, _pictures.roofline, _pictures.speedup_stack):
                figure = draw(found) if found else None
                if figure is not None:
                    yield f"{draw.__name__} of {name} {operation}", figure
    products, steps = searches(folder)
    yield "products", _pictures.over_entries(products)
    yield "breakdown", _pictures.level_breakdown(steps)
    yield "sizes", _pictures.levels_over_sizes(steps, products)
    for k, search in enumerate((BFS, DEEP)):
        yield f"levels {k}", _pictures.levels(search)
    yield "degrees", _pictures.degrees(INFO)


def test_no_text_leaves_its_picture(tmp_path):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    for name, figure in figures(tmp_path):
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        for text in figure.findobj(Text):
            if text.get_visible() and text.get_text().strip():
                box = text.get_window_extent(canvas.get_renderer())
                inside = -1 <= box.x0 and box.x1 <= figure.bbox.width + 1 and -1 <= box.y0 and box.y1 <= figure.bbox.height + 1
                number = re.fullmatch(r"[-\u22120-9./ KMG]+|\$.*\$", text.get_text())  # ticks beyond the axis are not drawn
                assert inside or number, f"{name}: {text.get_text()!r} at {box}"


def bars(figure):
    return [(b.get_width(), b.get_height()) for a in figure.axes for b in a.patches]


def test_bars_are_ratios_to_each_peers_fastest_variant(tmp_path):
    found = [m for m in read(written(tmp_path, "a.json", SPGEMM)).measurements if m.compared]
    widths = [round(w, 9) for w, _ in bars(_pictures.speed_against_peers(found))]
    assert sorted(widths) == [-0.5] * 3 + [3.0] * 3  # 8 / 2 and 1 / 2, drawn from 1
    floors = read(written(tmp_path, "b.json", FLOORS)).measurements
    assert {round(b.ms / m.ms, 9) for m in floors for b in _pictures.best_of_peers(floors).values()
            if (m.input, m.facet, m.variant) == (b.input, b.facet, "planned")} == {1.0}
    shares = [round(w, 6) for w, _ in bars(_pictures.share_of_floor(floors))]
    assert sorted(set(shares)) == [0.4, 50.0, 90.0]


def test_a_roofline_has_the_floor_above_each_dot(tmp_path):
    found = read(written(tmp_path, "a.json", ROOFS)).measurements
    axis = _pictures.roofline(found).axes[0]
    dots, strokes = (c.get_offsets() for c in axis.collections[:2])
    assert [round(float(y), 6) for _, y in dots] == [25, 50, 75] and {round(float(y), 6) for _, y in strokes} == {100}
    (line,) = axis.lines
    assert line.get_label() == "800 GB/s" and _pictures.roofline(found[:2]) is None


def test_a_stack_goes_from_rate_to_rate(tmp_path):
    found = read(written(tmp_path, "a.json", STACK)).measurements
    for axis in _pictures.speedup_stack(found).axes:
        assert [(b.get_x(), b.get_width()) for b in axis.patches] == [(1, 0), (1, 3), (4, -1)]
        assert [t.get_text() for t in axis.texts] == ["1", "4 (x 4.00)", "3 (x 0.75)"]


def test_levels_are_bars_as_high_as_frontiers():
    heights = [h for _, h in bars(_pictures.levels(BFS))]
    assert sorted(heights) == [1, 3, 20]
    assert _pictures.levels({"iterations": 16}) is None  # nz pagerank --json has a number there
    assert [h for _, h in bars(_pictures.degrees(INFO))] == [3, 0, 12]


def test_correlation_and_names():
    assert _pictures.correlation([1, 2, 3, 4], [1, 2, 2, 1]) == 0
    assert round(_pictures.correlation([1, 2, 4], [3, 2, 0]), 12) == -1
    assert split_name("papers/yang2018/rmat:16,16/fused") == ("papers yang2018", "rmat:16,16", "", "fused")
    assert split_name("dalton2015/spmv/laplace2d:300/csr_merge") == ("dalton2015 spmv", "laplace2d:300", "", "csr_merge")
    assert split_name("matam2012/limited/banded:4000,9/row_row") == ("matam2012 limited", "banded:4000,9", "", "row_row")
    assert split_name("gap/16/kron/bfs") == ("gap", "kron", "bfs, 2^16 vertices", "nonzero")
    assert split_name("spmm//x/y/a.mtx/32/eigen_by_columns") == ("spmm", "a.mtx", "32", "eigen_by_columns")
    assert Measurement("spmv", "a", "", "cusparse_default", 1.0).peer == "cuSPARSE"
    assert Measurement("spmv", "a", "", "csr_row", 1.0).peer == ""


@pytest.mark.parametrize("text", ["no json", "{}", "[]", "[1, 2]", '{"benchmarks": [{}]}', '{"results": 3}', ""])
def test_files_that_it_does_not_know_are_named(tmp_path, text, capsys):
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(UnreadableResults, match="odd.json"):
        read(path)
    assert report.main([str(path), "-o", str(tmp_path / "out")]) == 2
    assert "odd.json" in capsys.readouterr().err and not (tmp_path / "out").exists()
    assert report.main([str(tmp_path / "absent.json"), "-o", str(tmp_path / "out")]) == 2
    assert "absent.json" in capsys.readouterr().err


def test_names_in_files_cannot_break_the_page(tmp_path):
    odd = written(tmp_path, "odd.json", INFO | {"input": {"name": "<b>&\"quoted\""}})
    report.report([odd], tmp_path / "out", title="a <i> b")
    checked_page(tmp_path / "out")
    assert "<b>" not in (tmp_path / "out/index.html").read_text()


def test_the_package_needs_no_matplotlib_until_it_draws(tmp_path):
    code = "import nonzero, nonzero.report, sys; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    path = written(tmp_path, "info.json", INFO)
    code = "import sys; sys.modules['matplotlib'] = None; from nonzero.report import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, path, "-o", tmp_path / "out"], capture_output=True, text=True)
    assert done.returncode == 2 and "pip install" in done.stderr
