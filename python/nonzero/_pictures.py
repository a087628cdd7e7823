"""The pictures of nonzero.report. Each function gives a matplotlib figure, or None where there is nothing to draw."""

from __future__ import annotations

import math
import textwrap

from ._results import MAIN, PEERS, work_of

# Okabe and Ito's colours, which people with any colour vision tell apart; the first is nonzero's own.
BLUE, ORANGE, GREEN, PURPLE, SKY, RED, BLACK = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#222222"
OWN = (BLUE, GREEN, SKY, PURPLE, BLACK, "#8C6D31", "#999999", "#00505C", "#7A3E9D", "#4C7A00")
PEER_COLOURS = dict(zip(PEERS.values(), (RED, ORANGE, "#B2912F", "#AA4499")))
MARKERS = "osD^vP*Xhp"
WIDTH = 9.5  # inches; at 110 dots an inch a little more than 1000 pixels
_MOST_BARS = 5  # of a matrix; beyond, the variants are told apart by dots


def _figure(rows, columns, height, sharex=False):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), dpi=110, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharex=sharex)
    for a in axes.flat:
        a.spines[["top", "right"]].set_visible(False)
        a.set_axisbelow(True)
    return figure, axes


def time_text(ms: float) -> str:
    """A time in the unit that suits it.

    >>> time_text(0.0123), time_text(4.5), time_text(12300)
    ('12.3 us', '4.5 ms', '12.3 s')
    """
    scaled, unit = (ms * 1e3, "us") if ms < 1 else (ms, "ms") if ms < 1000 else (ms / 1e3, "s")
    return f"{scaled:.3g} {unit}"


def share_text(share: float) -> str:
    """A share in per cent.

    >>> share_text(0.914), share_text(0.0031)
    ('91%', '0.31%')
    """
    return f"{100 * share:.0f}%" if share >= 0.01 else f"{100 * share:.2g}%"


def count_text(x: float) -> str:
    """A count with K, M or G for thousands, millions and so on.

    >>> count_text(2e7), count_text(500), count_text(1500)
    ('20 M', '500', '1.5 K')
    """
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "K")):
        if x >= factor:
            return f"{x / factor:g} {letter}"
    return f"{x:g}"


def _logarithmic(axis, text=lambda x: f"{x:g}"):
    """A logarithmic x or y axis with plain numbers at 1, 2 and 5 of each decade, or at the decades where there are many."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 300 else (1,), numticks=20))
    axis.set_major_formatter(FuncFormatter(lambda x, _: text(x)))
    axis.set_minor_formatter(NullFormatter())


def unique(values) -> list:
    return list(dict.fromkeys(values))


def main_variant(found) -> str:
    """The variant that stands for nonzero."""
    own = unique(m.variant for m in found if not m.peer)
    return next((v for v in MAIN if v in own), own[0] if own else "")


def best_of_peers(found) -> dict:
    """For each (input, facet, peer) the fastest of its variants."""
    best = {}
    for m in found:
        at = m.input, m.facet, m.peer
        if m.peer and (at not in best or m.ms < best[at].ms):
            best[at] = m
    return best


def _panels(facets, lines, extra=1.1):
    """A grid of axes, one a facet, tall enough for `lines` lines of text each."""
    columns = 1 if len(facets) == 1 else 2
    rows = math.ceil(len(facets) / columns)
    figure, axes = _figure(rows, columns, rows * (0.3 * lines + extra) + 0.5)
    for a in list(axes.flat)[len(facets) :]:
        a.set_visible(False)
    return figure, list(axes.flat)[: len(facets)]


def _by_facet(found):
    return {f: [m for m in found if m.facet == f] for f in unique(m.facet for m in found)}


# What the middle of a benchmark's name is.
_FACETS = {"spmspv": "density of the vector {}", "spmm": "{} columns"}


def _facet_title(found, facet):
    first, *others = facet.split("/")
    return ", ".join([_FACETS.get(found[0].operation, "{}").format(first), *others]) if facet else ""


def _name_inputs(axis, inputs):
    axis.set_yticks(range(len(inputs)), inputs)
    axis.tick_params(axis="y", length=0)
    axis.invert_yaxis()


def _legend_above(figure, axis):
    handles, labels = [], []
    for a in axis:
        for h, text in zip(*a.get_legend_handles_labels()):
            if text not in labels:
                handles.append(h), labels.append(text)
    if labels != ["nonzero"]:
        figure.legend(handles, labels, loc="outside upper center", ncols=min(4, len(labels)), frameon=False, fontsize=9)


def _ratio_axis(axis, low, high, room):
    """A logarithmic axis around 1, with `room` (a share of its length) at the right for text."""
    ticks = (0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4) if high / low <= 4 else (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32, 64, 128, 256)
    low, high = min(low, 0.95) ** 1.1, max(high, 1.2)
    axis.set_xscale("log")
    axis.set_xlim(low, high * (high / low) ** (room / (1 - room)))
    axis.set_xticks([t for t in ticks if low <= t <= high * 1.1])
    axis.set_xticklabels([f"{t:g}" if t >= 0.25 else f"1/{1 / t:g}" for t in ticks if low <= t <= high * 1.1])
    axis.minorticks_off()
    axis.axvline(1, color=BLACK, linewidth=1)
    axis.grid(axis="x", color="#DDDDDD", linewidth=0.8)


def speed_against_peers(found):
    """Bars: for each input how many times as fast as each peer's fastest variant nonzero is."""
    if not any(m.peer for m in found):
        return None
    facets = _by_facet(found)
    peers = unique(m.peer for m in found if m.peer)
    lines = max(len(unique(m.input for m in f)) for f in facets.values()) * len(peers)
    figure, axes = _panels(facets, max(lines * 0.8, 2))
    low, high = 1.0, 1.0
    for axis, (facet, some) in zip(axes, facets.items()):
        best, main = best_of_peers(some), main_variant(some)
        ours = {m.input: m for m in some if m.variant == main}
        inputs = [i for i in ours if any((i, facet, p) in best for p in peers)]
        for k, peer in enumerate(peers):
            for row, name in enumerate(inputs):
                if (name, facet, peer) not in best:
                    continue
                ratio = best[name, facet, peer].ms / ours[name].ms
                low, high = min(low, ratio), max(high, ratio)
                at = row + (k - (len(peers) - 1) / 2) * 0.8 / len(peers)
                axis.barh(at, ratio - 1, left=1, height=0.72 / len(peers), color=PEER_COLOURS[peer],
                          label=f"than {peer}")
                text = f"{ratio:.{2 if ratio < 10 else 0}f} ({time_text(ours[name].ms)})"
                axis.annotate(text, (max(ratio, 1), at), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
        _name_inputs(axis, inputs)
        axis.set_title(_facet_title(some, facet), fontsize=11, loc="left")
    for axis in axes:
        _ratio_axis(axis, low, high, 0.14 if len(axes) == 1 else 0.32)
    if not any(a.patches for a in axes):
        return None
    figure.supxlabel("nonzero is so many times as fast (logarithmic; in brackets: its time)", fontsize=10)
    _legend_above(figure, axes)
    return figure


def share_of_floor(found):
    """Bars: which share of the floor's speed was reached; 100% is the least time that the machine's measured rates allow."""
    known = [m for m in found if m.share_of_floor is not None]
    if not known:
        return None
    facets = _by_facet(known)
    chosen = {}
    for facet, some in facets.items():
        own = unique(m.variant for m in some if not m.peer)
        own = own if len(own) <= _MOST_BARS else [main_variant(some)]
        peers = [m for m in best_of_peers(some).values()]
        chosen[facet] = [m for m in some if m.variant in own] + peers
    bars = max(max(sum(m.input == i for m in f) for i in unique(m.input for m in f)) for f in chosen.values())
    lines = max(len(unique(m.input for m in f)) for f in chosen.values()) * (0.45 * bars + 0.5)
    figure, axes = _panels(chosen, max(lines, 2))
    colour = _colours(known)
    most = max(m.share_of_floor for f in chosen.values() for m in f)
    for axis, (facet, some) in zip(axes, chosen.items()):
        inputs = unique(m.input for m in some)
        labels = unique(m.peer or m.variant for m in some)
        for m in some:
            label = m.peer or m.variant
            at = inputs.index(m.input) + (labels.index(label) - (len(labels) - 1) / 2) * 0.8 / len(labels)
            axis.barh(at, 100 * m.share_of_floor, height=0.74 / len(labels), color=colour[label], label=label)
            axis.annotate(share_text(m.share_of_floor), (100 * m.share_of_floor, at), xytext=(3, 0),
                          textcoords="offset points", va="center", fontsize=8,
                          bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8})
        axis.axvline(100, color=BLACK, linewidth=1, linestyle="--")
        axis.set_xlim(0, max(112, 115 * most))
        axis.grid(axis="x", color="#DDDDDD", linewidth=0.8)
        axis.set_title(_facet_title(some, facet), fontsize=11, loc="left")
        _name_inputs(axis, inputs)
    figure.supxlabel("share of the floor's speed, % (dashed: the floor)", fontsize=10)
    _legend_above(figure, axes)
    return figure


def _colours(found) -> dict:
    """A colour for every variant and peer: the main one is blue."""
    own = unique(m.variant for m in found if not m.peer)
    main = main_variant(found)
    order = ([main] if main else []) + [v for v in own if v != main]
    return {v: OWN[k % len(OWN)] for k, v in enumerate(order)} | PEER_COLOURS


def every_variant(found):
    """Dots on a logarithmic axis: the time of each variant on each input."""
    if len(found) < 2:
        return None
    facets = _by_facet(found)
    lines = max(len(unique(m.input for m in f)) for f in facets.values())
    figure, axes = _panels(facets, max(lines * 1.15, 2.5))
    colour, own, main = _colours(found), unique(m.variant for m in found if not m.peer), main_variant(found)
    for axis, (facet, some) in zip(axes, facets.items()):
        inputs = unique(m.input for m in some)
        some = [m for m in some if not m.peer] + list(best_of_peers(some).values())
        for label in unique(m.peer or m.variant for m in some):
            mine = [m for m in some if (m.peer or m.variant) == label]
            place = own.index(label) if label in own else len(own) + list(PEERS.values()).index(label)
            axis.scatter([m.ms for m in mine], [inputs.index(m.input) for m in mine], s=46, color=colour[label],
                         marker=MARKERS[place % len(MARKERS)], alpha=0.85, linewidths=0, label=label,
                         zorder=4 if label == main else 3)
        _logarithmic(axis.xaxis)
        axis.grid(axis="both", color="#DDDDDD", linewidth=0.8)
        axis.set_title(_facet_title(some, facet), fontsize=11, loc="left")
        _name_inputs(axis, inputs)
        axis.set_ylim(len(inputs) - 0.4, -0.6)
    figure.supxlabel("time, ms (logarithmic; of another library the fastest variant)", fontsize=10)
    _legend_above(figure, axes)
    return figure


def correlation(x, y) -> float:
    """Pearson's coefficient.

    >>> correlation([1, 2, 3], [2, 4, 6])
    1.0
    """
    n = len(x)
    mx, my = sum(x) / n, sum(y) / n
    xy = sum((a - mx) * (b - my) for a, b in zip(x, y))
    xx, yy = sum((a - mx) ** 2 for a in x), sum((b - my) ** 2 for b in y)
    return xy / math.sqrt(xx * yy) if xx > 0 and yy > 0 else math.nan


def _work_points(found):
    """{variant or peer: [(work, ms)]}, of those with three amounts of work and more, the main one first; and the unit."""
    points, unit = {}, ""
    for m in [m for m in found if not m.peer] + list(best_of_peers(found).values()):
        work = work_of(m, found)
        if work is not None:
            points.setdefault(m.peer or m.variant, []).append((work[0], m.ms))
            unit = work[1]
    points = {v: p for v, p in points.items() if len({w for w, _ in p}) >= 3}
    main = main_variant(found)
    order = sorted(points, key=lambda v: (v != main, v not in PEER_COLOURS))
    return {v: points[v] for v in order[:6]}, unit


def time_against_work(found):
    """Dots, both axes logarithmic: the time against the work, and Pearson's coefficient of the two."""
    types = unique(m.facet for m in found if m.facet.startswith(("float", "int")))
    panels = {t: [m for m in found if m.facet == t] for t in types} or {"": found}
    points = {t: _work_points(some) for t, some in panels.items()}
    points = {t: p for t, p in points.items() if p[0]}
    if not points:
        return None
    figure, axes = _panels(list(points), 11)
    colour = _colours(found)
    for axis, (facet, (curves, unit)) in zip(axes, points.items()):
        for k, (label, pairs) in enumerate(curves.items()):
            x, y = zip(*sorted(pairs))
            axis.plot(x, y, linestyle="none", marker=MARKERS[k % len(MARKERS)], markersize=7, color=colour[label], alpha=0.85,
                      markeredgewidth=0, label=f"{label} (r = {correlation(x, y):.2f})")
        _logarithmic(axis.xaxis, count_text)
        _logarithmic(axis.yaxis)
        axis.set_title(facet, fontsize=11, loc="left")
        axis.grid(color="#DDDDDD", linewidth=0.8)
        axis.legend(frameon=False, fontsize=8.5, loc="upper left", bbox_to_anchor=(0, -0.08), ncols=2)
    figure.supxlabel(f"work: {unit} (logarithmic); r: correlation of time and work", fontsize=10)
    figure.supylabel("time, ms (logarithmic)", fontsize=10)
    return figure


def scaling(found):
    """Lines: the time over the scale of Kronecker graphs, where there are three of one edge factor."""
    points = {}
    for m in found:
        kind, _, numbers = m.input.partition(":")
        scale, _, factor = numbers.partition(",")
        if kind.startswith("rmat") and scale.isdigit():
            points.setdefault((kind, factor, m.facet, m.peer or m.variant), {}).setdefault(int(scale), m.ms)
    points = {k: v for k, v in points.items() if len(v) >= 3}
    if not points:
        return None
    figure, axes = _figure(1, 1, 4.6)
    axis, colour = axes[0, 0], _colours(found)
    for k, ((kind, factor, facet, label), times) in enumerate(points.items()):
        text = " ".join(filter(None, (label, facet, f"{kind}, edge factor {factor}" if factor else kind)))
        scales = sorted(times)
        axis.plot(scales, [times[s] for s in scales], marker=MARKERS[k % len(MARKERS)], color=colour[label], label=text)
        axis.set_xticks(scales)
    _logarithmic(axis.yaxis)
    axis.set_xlabel("scale: 2^scale vertices")
    axis.set_ylabel("time, ms (logarithmic)")
    axis.grid(color="#DDDDDD", linewidth=0.8)
    axis.legend(frameon=False, fontsize=9)
    return figure


def roofline(found):
    """Dots over arithmetic intensity: the rate that was reached, and above each a stroke where its floor lies. The line is the
    rate at which bytes move at best; a stroke below it is a floor set by scattered accesses."""
    needs = "gflops", "gbytes_per_s"
    known = [m for m in found if not m.peer and m.share_of_floor and all(m.counters.get(k, 0) > 0 for k in needs)]
    main = {f: main_variant(some) for f, some in _by_facet(known).items()}
    known = [m for m in known if m.variant == main[m.facet]]
    if len(known) < 3:
        return None
    figure, axes = _figure(1, 1, 5.6)
    axis, facets = axes[0, 0], unique(m.facet for m in known)
    where = {id(m): (m.counters["gflops"] / m.counters["gbytes_per_s"], m.counters["gflops"]) for m in known}
    bandwidth = max(m.counters["gbytes_per_s"] / m.share_of_floor for m in known)
    for k, facet in enumerate(facets):
        mine = [m for m in known if m.facet == facet]
        x, y = zip(*(where[id(m)] for m in mine))
        axis.scatter(x, y, s=48, color=OWN[k % len(OWN)], marker=MARKERS[k % len(MARKERS)], linewidths=0, zorder=3,
                     label=_facet_title(mine, facet) or main[facet])
        axis.scatter(x, [b / m.share_of_floor for m, b in zip(mine, y)], s=240, color=OWN[k % len(OWN)], marker="_", linewidths=2,
                     zorder=3)
        axis.vlines(x, y, [b / m.share_of_floor for m, b in zip(mine, y)], color=OWN[k % len(OWN)], linewidth=0.8, alpha=0.5)
    low, high = min(x for x, _ in where.values()) / 1.4, max(x for x, _ in where.values()) * 1.4
    axis.plot([low, high], [low * bandwidth, high * bandwidth], color=BLACK, linewidth=1.5,
              label=f"{bandwidth / 1000:.3g} TB/s" if bandwidth >= 1000 else f"{bandwidth:.3g} GB/s")
    axis.set_xlim(low, high)
    _logarithmic(axis.xaxis)
    _logarithmic(axis.yaxis)
    numbers = {name: k + 1 for k, name in enumerate(unique(m.input for m in known))}
    for m in known:
        axis.annotate(str(numbers[m.input]), where[id(m)], xytext=(0, -6), textcoords="offset points", ha="center", va="top", fontsize=8)
    names = textwrap.fill(", ".join(f"{k}\u00a0{name}" for name, k in numbers.items()), 110, break_on_hyphens=False)
    axis.set_xlabel(f"arithmetic intensity, floating-point operations a byte (logarithmic)\n{names}", linespacing=1.5)
    axis.set_ylabel("GFLOP/s (logarithmic; strokes: the floor)")
    axis.grid(color="#DDDDDD", linewidth=0.8)
    figure.legend(loc="outside upper center", ncols=5, frameon=False, fontsize=9)
    return figure


def speedup_stack(found):
    """Bars, one behind the other: how far each optimisation takes the rate, all before it switched on."""
    known = [m for m in found if m.operation.endswith(" stack") and m.counters.get("gteps", 0) > 0]
    facets = _by_facet(known)
    if not known:
        return None
    stages = unique(m.variant for m in known)
    figure, axes = _panels(facets, len(stages) * 1.2)
    low, high = (f(m.counters["gteps"] for m in known) for f in (min, max))
    for axis, (facet, some) in zip(axes, facets.items()):
        rates = {m.variant: m.counters["gteps"] for m in some}
        last = None
        for row, stage in enumerate(s for s in stages if s in rates):
            now = rates[stage]
            begin = now if last is None else last
            gains = now >= begin
            axis.barh(row, now - begin, left=begin, height=0.62, color=BLUE if gains else ORANGE, hatch=None if gains else "//",
                      edgecolor="white", linewidth=0)
            axis.plot([now, now], [row - 0.31, row + 1.31 if row + 1 < len(rates) else row + 0.31], color=BLACK, linewidth=1.2)
            text = f"{now:.3g}" if last is None else f"{now:.3g} (x {now / begin:.{2 if now / begin < 10 else 0}f})"
            axis.annotate(text, (max(now, begin), row), xytext=(5, 0), textcoords="offset points", va="center", fontsize=8.5)
            last = now
        axis.set_xlim(low / 1.3, high * (high / low) ** 0.4)
        _logarithmic(axis.xaxis)
        _name_inputs(axis, [s for s in stages if s in rates])
        axis.set_title(f"{facet}, {some[0].input}", fontsize=11, loc="left")
        axis.grid(axis="x", color="#DDDDDD", linewidth=0.8)
    figure.supxlabel("edges a second, 10^9 (logarithmic); hatched: slower than without", fontsize=10)
    return figure


def levels(search):
    """What `nz bfs --json` printed: the frontier of each level with its direction, and the time of each level."""
    steps = search.get("iterations")
    if not isinstance(steps, list) or not steps or "frontier" not in steps[0]:
        return None
    timed = any(s.get("time_us") for s in steps)
    figure, axes = _figure(2 if timed else 1, 1, 6.4 if timed else 4, sharex=True)
    top, few = axes[0, 0], len(steps) <= 60
    ways = {w: [k for k, s in enumerate(steps) if s.get("direction") == w] for w in ("push", "pull")}
    colours = {"push": BLUE, "pull": ORANGE}
    for way, at in ways.items():
        if at:
            top.bar(at, [steps[k]["frontier"] for k in at], width=0.8 if few else 1, color=colours[way], linewidth=0,
                    hatch="//" if way == "pull" and few else None, edgecolor="white", label=f"{way}: vertices in the frontier")
    top.plot([max(s.get("unvisited", 0), 0) for s in steps], color=BLACK, linewidth=1.5, marker="o" if few else None,
             markersize=4, label="vertices not visited yet")
    top.set_yscale("symlog", linthresh=1)
    top.set_ylim(bottom=0)
    top.set_ylabel("vertices (logarithmic)")
    if timed:
        below = axes[1, 0]
        for (way, at), marker in zip(ways.items(), "os"):
            at = [k for k in at if steps[k].get("time_us", 0) > 0]
            below.scatter(at, [steps[k]["time_us"] for k in at], s=46 if few else 8, marker=marker, color=colours[way],
                          linewidths=0)
        _logarithmic(below.yaxis)
        below.set_ylabel("time of the level, us (logarithmic)")
    last = axes[-1, 0]
    last.set_xlabel("level")
    if len(steps) <= 20:
        last.set_xticks(range(len(steps)))
    for a in axes.flat:
        a.grid(axis="y", color="#DDDDDD", linewidth=0.8)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    return figure


_DIVISIONS = {"": "as it goes", "first": "a quarter for the CPU (I)", "second": "by the times of each alone (II)", "gpu": "GPU alone",
              "cpu": "CPU alone"}


def divisions(found):
    """Dots on a logarithmic axis: times of a product by CPU and GPU together over the best division that was found."""
    inputs = unique(m.input for m in found)
    figure, (axis,) = _panels([""], max(len(inputs) * 1.15, 2.5))
    best = [min(m.counters["best_ms"], m.ms) for m in found]
    for k, (who, label) in enumerate(_DIVISIONS.items()):
        times = [m.counters[f"{who}_ms"] if who else m.ms for m in found]
        axis.scatter([t / b for t, b in zip(times, best)], [inputs.index(m.input) for m in found], s=46, color=OWN[k % len(OWN)],
                     marker=MARKERS[k], alpha=0.85, linewidths=0, label=label, zorder=3 if who else 4)
    _logarithmic(axis.xaxis)
    axis.grid(axis="both", color="#DDDDDD", linewidth=0.8)
    _name_inputs(axis, [f"{m.input}  {time_text(b)}" for m, b in zip(found, best)])
    axis.set_ylim(len(inputs) - 0.4, -0.6)
    figure.supxlabel("time over that of the best division found (logarithmic; beside the name: that time)", fontsize=10)
    _legend_above(figure, [axis])
    return figure


_FORMS = {"row": "by rows", "row_masked": "by rows, masked", "column": "by columns", "column_masked": "by columns, masked"}
_WAYS = {"push": BLUE, "pull": ORANGE}


def _random_products(axis, found):
    """Lines: times of products over the entries of random vectors and masks."""
    for k, (variant, label) in enumerate(_FORMS.items()):
        times = sorted((int(m.facet), m.ms) for m in found if m.variant == variant)
        if times:
            axis.plot(*zip(*times), marker=MARKERS[k], markersize=5, linewidth=1.4, color=OWN[k], label=label)


def _finished_over_sizes(figure, axes, names):
    for axis, name in zip(axes, names):
        _logarithmic(axis.xaxis, count_text)
        _logarithmic(axis.yaxis)
        axis.set_title(name, fontsize=11, loc="left")
        axis.grid(color="#DDDDDD", linewidth=0.8)
    figure.supxlabel("entries of the vector; by rows under a mask: of the mask (logarithmic)", fontsize=10)
    figure.supylabel("time, ms (logarithmic)", fontsize=10)
    _legend_above(figure, axes)
    return figure


def over_entries(found):
    """Lines: the time of products by rows and by columns over the entries of the vector, or of the mask."""
    facets = {name: [m for m in found if m.input == name] for name in unique(m.input for m in found)}
    figure, axes = _panels(facets, 12)
    for axis, (name, some) in zip(axes, facets.items()):
        _random_products(axis, some)
    return _finished_over_sizes(figure, axes, facets)


def _levels_of(found):
    """{graph: {way: [measurement of level 1, 2, ...]}}"""
    graphs = {}
    for m in sorted(found, key=lambda m: int(m.facet)):
        graphs.setdefault(m.input, {}).setdefault(m.variant, []).append(m)
    return graphs


def level_breakdown(found):
    """Bars: where the frontier's edges lead, level by level, with the vertices in and before the frontier; below, the level's time
    by push and by pull."""
    graphs = _levels_of(found)
    figure, axes = _figure(2, len(graphs), 7, sharex="col")
    for column, (name, ways) in enumerate(graphs.items()):
        top, below = axes[0, column], axes[1, column]
        steps = ways.get("push") or ways["pull"]
        at = range(1, len(steps) + 1)
        for k, ((key, label), colour, hatch) in enumerate(zip((("edges_forward", "edges to the next level"), ("edges_within", "edges within the level"),
                                                ("edges_back", "edges back")), (GREEN, SKY, "#BBBBBB"), (None, "//", ".."))):
            top.bar([n + 0.27 * (k - 1) for n in at], [m.counters.get(key, 0) for m in steps], width=0.25, color=colour, hatch=hatch,
                    edgecolor="white", linewidth=0, label=label)
        top.plot(at, [m.counters["frontier"] for m in steps], color=BLUE, marker="o", markersize=5, label="vertices in the frontier")
        top.plot(at, [m.counters["unvisited"] for m in steps], color=BLACK, marker="s", markersize=5, label="vertices not visited yet")
        top.set_yscale("symlog", linthresh=1)
        top.set_ylim(bottom=0)
        top.set_title(name, fontsize=11, loc="left")
        for (way, colour), marker in zip(_WAYS.items(), "os"):
            times = [m.ms for m in ways.get(way, ())]
            below.plot(range(1, len(times) + 1), times, color=colour, marker=marker, markersize=6, label=f"time by {way}")
        _logarithmic(below.yaxis)
        below.set_xlabel("level")
        below.set_xticks(list(at))
        for a in (top, below):
            a.grid(axis="y", color="#DDDDDD", linewidth=0.8)
    axes[0, 0].set_ylabel("edges and vertices (logarithmic)")
    axes[1, 0].set_ylabel("time of the level, ms (logarithmic)")
    _legend_above(figure, axes.flat)
    return figure


def levels_over_sizes(found, products):
    """Dots with the level's number: its time by push over the frontier and by pull over what is not visited, beside products with
    random vectors and masks of these sizes."""
    graphs = _levels_of(found)
    figure, axes = _panels(graphs, 14)
    for axis, (name, ways) in zip(axes, graphs.items()):
        _random_products(axis, [m for m in products if m.input == name])
        for line in axis.lines:
            line.set(alpha=0.55, markersize=3)
        for way, size, label in (("push", "frontier", "level by push: frontier"),
                                 ("pull", "unvisited", "level by pull: not visited")):
            points = [(max(m.counters[size], 1), m.ms) for m in ways.get(way, ())]
            if points:
                axis.plot(*zip(*points), color=RED if way == "push" else BLACK, marker="o" if way == "push" else "s", markersize=8,
                          linewidth=1, linestyle=":", label=label)
            for k, point in enumerate(points):
                axis.annotate(str(k + 1), point, xytext=(7, 4), textcoords="offset points", fontsize=9, fontweight="bold",
                              color=RED if way == "push" else BLACK)
    return _finished_over_sizes(figure, axes, graphs)


def degrees(info):
    """What `nz info --json` printed: how many rows have how many entries."""
    bins = info.get("histogram")
    if not bins:
        return None
    figure, axes = _figure(1, 1, 4.2)
    axis = axes[0, 0]
    axis.bar(range(len(bins)), [b["rows"] for b in bins], width=0.85, color=BLUE)
    for k, b in enumerate(bins):
        if b["rows"]:
            axis.annotate(f"{b['rows']:,}", (k, b["rows"]), xytext=(0, 3), textcoords="offset points", ha="center", fontsize=8)
    names = [str(b["from"]) if b["from"] == b["to"] else f"{b['from']}-{b['to']}" for b in bins]
    axis.set_xticks(range(len(bins)), names, rotation=40 if len(bins) > 8 else 0, ha="right" if len(bins) > 8 else "center")
    axis.set_yscale("symlog", linthresh=1)
    axis.set_ylim(0, max(b["rows"] for b in bins) * 3)
    axis.set_xlabel("entries of a row")
    axis.set_ylabel("rows (logarithmic)")
    axis.grid(axis="y", color="#DDDDDD", linewidth=0.8)
    return figure
