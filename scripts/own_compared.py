"""The planner and the response of docs/own_methods.md beside the built-in methods, in touch and space.

    python scripts/own_compared.py --out docs/lab/compare_your_method.md

runs what is missing (an interrupted one goes on), and writes the page's tables; rows of the
built-in methods that come with the program are not run again. With ``--ship`` they are, and become
those that come along; without ``--out`` these methods alone are run for that.
"""

import re
from pathlib import Path

import bench_columns as c
import typer
from bench_tables import read
from benches import write_shipped
from measured_part import ROOT, table, tell
from suite_tables.parts import Part, lines_of

from hopfield_nav.cli.app import main as hopfield_nav
from hopfield_nav.extensions.bench import find_suite, load_suite, shipped_file

OWN = {
    "A*": ("a_star.py", "planner.kind: a_star.py:PLANNER"),
    "wall follower": ("wall_follower.py", "explore: wall_follower.py:RESPONSE"),
}


def _counts(row: c.Row) -> bool:
    return c.counts(row) and c.reached(row)


COLUMNS = {
    "reached": c.share(c.reached, c.counts),
    "touches": c.of("collision_count", "{:.1f}", where=_counts),
    "time": c.of("simulated_time_s", "{:.1f} s", where=_counts),
    "the tool's way": c.of("way_m", "{:.2f} m", where=_counts),
    "largest force, mean": c.of("peak_contact_force_N", "{:.0f} N", where=_counts),
}
RESULTS = ROOT / "runs" / "own_compared"
EVERY_METHOD = Part("", "{f}, {s}: {m}", COLUMNS)


def example(name: str) -> str:
    """The block of the page that is a file of that name."""
    page = (ROOT / "docs" / "own_methods.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return next(block for block in blocks if block.startswith(f"# {name}\n"))


def run(suite: str, worlds: int, folder: Path, own: bool, again: bool) -> Path:
    """The bench of a suite, with both methods or the built-in ones alone; the folder of its results."""
    arguments = [
        "bench",
        suite,
        *["--again"] * again,
        "--worlds",
        str(worlds),
        "--out",
        str(folder / suite),
    ]
    for name, (file, changes) in OWN.items() if own else ():
        (folder / file).write_text(example(file), encoding="utf-8")
        settings = (folder / file).with_suffix(".yaml")
        settings.write_text(f"{changes}\n", encoding="utf-8")
        arguments += ["--method", f"{name}={settings}"]
    if (folder / suite / "rows").is_dir():
        arguments.append("--resume")
    if hopfield_nav(arguments):
        raise SystemExit(f"{suite} was not run to its end")
    return folder / suite


def main(
    worlds: int = 200, folder: Path = RESULTS, out: Path | None = None, ship: bool = False
) -> None:
    """So many worlds of every family and condition; SHIP keeps the built-in methods' rows, too."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("space", "touch"):
        own = out is not None or not ship
        rows = read(run(name, worlds, folder, own, ship))
        tell(table(["", *COLUMNS], lines_of(EVERY_METHOD, rows)), out, name)
        if ship:
            suite, built_in = load_suite(name), [row for row in rows if row["method"] not in OWN]
            write_shipped(suite, built_in, shipped_file(find_suite(name)))


if __name__ == "__main__":
    typer.run(main)
