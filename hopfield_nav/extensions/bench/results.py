"""What a bench leaves behind: every run as CSV, a page of tables, a paper's table, and figures."""

import html
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dynamics import printable
from dynamics.files import write_whole
from hopfield_nav.extensions.bench import tables as told
from hopfield_nav.extensions.bench.paper import latex, paper_tables
from hopfield_nav.extensions.bench.rows import table_text
from hopfield_nav.extensions.bench.suite import Suite
from hopfield_nav.extensions.bench.tables import Pair, Table, cells, curves, has_goals, pairs
from hopfield_nav.sweeps import FAILURES, TIMED_OUT, Job

Row = Mapping[str, Any]
CURVES = {
    "collision_count": "touches",
    "simulated_time_s": "simulated time [s]",
    "way_m": "way of the tool [m]",
}
UNDONE = (*FAILURES, TIMED_OUT)
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_WIDE, _HIGH, _EDGE = 420, 240, 42  # [px] of a curve
_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;max-width:96em;margin:2em auto;padding:0 1em;color:#222}"
    "p{max-width:54em}nav{columns:28em;margin:1em 0}nav a{display:block}svg{margin-right:1em}"
    "table{border-collapse:collapse;margin:.6em 0 1.4em;display:block;overflow-x:auto}th,td{"
    "padding:.25em .7em;text-align:right;border-bottom:1px solid #ddd;font-variant-numeric:tabular-nums}"
    "td{white-space:nowrap}th{vertical-align:bottom}th:first-child,td:first-child{text-align:left}"
)


def write_results(suite: Suite, rows: Sequence[Row], folder: Path, views: int = 0) -> None:
    """Write ``table.csv``, ``table.tex``, ``report.html`` and what that links to.

    Where there is one family and one condition, also a figure, ``strips.png`` and ``strips.pdf``.

    The suite has all methods of the rows, these have versions, and the folder is there. As many as
    ``views`` of the worlds where two methods differ most are run again, for a view of each run.
    """
    methods = [name for name in suite.suite.methods if any(r["method"] == name for r in rows)]
    order = {name: k for k, name in enumerate(methods)}
    where = {cell: k for k, cell in enumerate(cells(suite))}
    rows = sorted(
        rows, key=lambda r: (where[r["family"], r["condition"]], order[r["method"]], r["repeat"])
    )
    write_whole(folder / "table.csv", table_text(suite, rows))
    printed = paper_tables(suite, rows, methods)
    write_whole(folder / "table.tex", latex(suite, printed))
    tables = [told.reached_table(suite, rows, methods, cell) for cell in cells(suite)]
    for pair in pairs(suite, methods):
        tables += [told.pair_table(suite, rows, pair, cell) for cell in cells(suite)]
        if has_goals(suite):
            worlds = told.most_different(suite, rows, pair)
            tables.append(told.different_table(pair, worlds, _views(suite, worlds[:views], folder)))
    if len(printed) == 1:
        from hopfield_nav.extensions.bench.strips import NOTE, draw_strips
        from hopfield_nav.figures import paper_style, save_figure

        with paper_style():
            figure = draw_strips(suite, rows, methods, cells(suite)[0])
            if figure is not None:
                save_figure(figure, folder, "strips", pdf=True, note=NOTE)
    write_whole(folder / "report.html", _page(suite, tables, rows, methods))


def _views(suite: Suite, worlds: Sequence[Pair], folder: Path) -> dict[tuple, str]:
    """Links to pages with the runs of some worlds, made again, by family, condition, method and world."""
    from hopfield_nav.extensions.viewer import describe_run, write_page

    links: dict[tuple, str] = {}
    most = suite.file.until.touches or math.inf
    for row in (row for both in worlds for row in both):
        if row["outcome"] in UNDONE or row["method"] not in suite.methods:
            continue  # it may hang once more, or is another program's
        key = told.run_of(row)
        values = dict(zip(("family", "condition", "method"), key[:3], strict=True))
        started = suite.start(Job(0, values, row["seed"], row["repeat"]))
        run = started.run(None, lambda _, touches: touches < most)
        if run.data.sizes["time"]:
            name = re.sub(r"[^\w-]+", "_", f"{'_'.join(key[:3])}_{row['seed']}") + ".html"
            (folder / "views").mkdir(exist_ok=True)
            write_page(describe_run(run), folder / "views" / name)
            links[key] = f"views/{name}"
    return links


def _intro(suite: Suite) -> list[str]:
    oracle = suite.suite.oracle
    counted = "all" if oracle.own is None else "by the suite's own oracle"
    if oracle.margin is not None:
        counted = f"a path keeps {1e3 * oracle.margin:g} mm"
    return [
        suite.file.description,
        f"{suite.file.repeats} worlds of every family, seeds from {suite.file.seed} on. "
        f"Scored worlds: {counted}. Means are over the scored worlds that were "
        "reached, differences are of pairs of runs in the same world, over worlds that both reached; delays, missed "
        "contacts, false alarms and forces are of all scored worlds; smaller is better. Intervals: 95 %, Wilson's for "
        "shares, Bonett and Price's for their differences, Student's for means. Computing times do not repeat and "
        "are not compared.",
        f"Digest of the suite: {suite.digest}",
    ]


def _page(
    suite: Suite, tables: Sequence[Table], rows: Sequence[Row], methods: Sequence[str]
) -> str:
    intro = "".join(f"<p>{html.escape(part)}</p>" for part in _intro(suite) if part)
    name = html.escape(suite.name)
    shown = {
        key: label
        for key, label in CURVES.items()
        if key in suite.suite.compare and has_goals(suite)
    }
    drawn = "".join(_curve(curves(rows, methods, key), label) for key, label in shown.items())
    drawn = f"<h2>Share of the goals reached</h2>{drawn}" if drawn else ""
    body = ""
    for k, table in enumerate(tables):
        head = "".join(f"<th>{_shown(cell)}" for cell in table.head)
        lines = "".join(
            "<tr>" + "".join(f"<td>{_shown(cell)}" for cell in row) for row in table.rows
        )
        body += f"<h2 id={k}>{_shown(table.title)}</h2><table><tr>{head}{lines}</table>"
    firsts = {table.title.split(": ")[0]: k for k, table in reversed(list(enumerate(tables)))}
    links = "".join(f'<a href="#{k}">{_shown(title)}</a>' for title, k in reversed(firsts.items()))
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{name}</title><style>{_STYLE}</style>"
        f"<h1>{name}</h1>{intro}<nav>{links}</nav>{drawn}{body}</html>\n"
    )


def _shown(cell: str) -> str:
    """A cell as the page has it: a link that is written ``[WORDS](PLACE)``, or text."""
    link = re.fullmatch(r"\[(.*)\]\(([\w./-]+)\)", cell)
    words = html.escape(printable(link[1] if link else cell, 10_000))
    return f'<a href="{link[2]}">{words}</a>' if link else words


def _curve(lines: Mapping[str, Sequence[tuple[float, float]]], label: str) -> str:
    """Steps of the share that is reached, of every method, as a drawing."""
    most = max((x for points in lines.values() for x, _ in points), default=1.0) or 1.0
    wide, high, base = _WIDE - 2 * _EDGE, _HIGH - 2 * _EDGE, _HIGH - _EDGE
    parts = [f'<path d="M{_EDGE},{_EDGE}V{base}H{_WIDE - _EDGE}" fill="none" stroke="#888"/>']
    for k, (name, points) in enumerate(lines.items()):
        colour = _COLOURS[k % len(_COLOURS)]
        steps = "".join(f"H{_EDGE + wide * x / most:.1f}V{base - high * y:.1f}" for x, y in points)
        path = f"M{_EDGE},{base}{steps}H{_WIDE - _EDGE}"
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        parts.append(_words(_EDGE + 6, -13 * (len(lines) - 1 - k), name, f' fill="{colour}"'))
    parts += [_words(_EDGE, _HIGH - 24, "0"), _words(4, _EDGE + 4, "100 %")]
    parts.append(_words(_WIDE - _EDGE, _HIGH - 24, f"{most:.4g}", ' text-anchor="end"'))
    parts.append(_words(_WIDE // 2, _HIGH - 8, label, ' text-anchor="middle"'))
    extra = 13 * len(lines)
    size = f'width="{_WIDE}" height="{_HIGH + extra}" viewBox="0 {-extra} {_WIDE} {_HIGH + extra}"'
    return f'<svg {size} font-size="12">{"".join(parts)}</svg>'


def _words(x: int, y: int, words: str, about: str = "") -> str:
    return f'<text x="{x}" y="{y}"{about}>{html.escape(words)}</text>'
