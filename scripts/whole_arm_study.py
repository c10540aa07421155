"""The whole arm in random scenes: what is reached by touch, at what cost, and how well touches are located.

python scripts/whole_arm_study.py --felt 200 --optimist 200 --wrong 200 --out docs/whole_arm.md

Worlds count in which the optimist's first path collides and the omniscient strategy has a path. Every run is
kept in a folder; runs that lie there are not made again, so families may be run side by side and then joined
(``--join``).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from measured_part import write
from whole_arm.runs import Ran, kept_runs, run_kept, run_one
from whole_arm.tables import FELT, MISSED, REACHED, felt_row, missed_rows, reached_row
from whole_arm.worlds import FAMILIES, worlds

FIRST = 1_000  # seed; others than those that the method was made with


def study(
    families: list[str], counts: dict[str, int], first: int, most: int, keep: Path
) -> dict[tuple[str, str], list[Ran]]:
    """All runs, by family and setting."""
    found: dict[tuple[str, str], list[Ran]] = {}
    warm = False
    for family in families:
        for number, drawn in enumerate(worlds(family, max(counts.values()), first)):
            for setting, count in counts.items():
                if number >= count:
                    continue
                warm = warm or bool(run_one(drawn, setting, 1))  # what is compiled first counts for no run
                ran = run_kept(drawn, setting, most, keep)
                found.setdefault((family, setting), []).append(ran)
                print(
                    f"{family} {ran.seed} {setting}: {ran.outcome}, {ran.alarms} touches, {ran.time:.0f} s, "
                    f"{ran.spent:.0f} s of processor {ran.reason}",
                    flush=True,
                )
    return found


def joined(families: list[str], settings: Iterable[str], keep: Path) -> dict[tuple[str, str], list[Ran]]:
    """The runs that lie in a folder, by family and setting; none is made."""
    found = {
        (family, setting): sorted(kept_runs(family, setting, keep), key=lambda ran: ran.seed)
        for family in families
        for setting in settings
    }
    return {key: runs for key, runs in found.items() if runs}


def tables(found: dict[tuple[str, str], list[Ran]], most: int) -> str:
    """The measured part."""
    named = {f"{family}: {setting}": runs for (family, setting), runs in found.items()}
    felt = {name: runs for name, runs in named.items() if "optimist" not in name}
    missed = [line for name, runs in named.items() for line in missed_rows(name, runs)]
    parts = {
        "Goals": [REACHED, *(reached_row(name, runs) for name, runs in named.items())],
        "Where the touches were felt": [FELT, *(felt_row(name, runs) for name, runs in felt.items())],
        f"Not reached (`touches`: ended after {most})": [MISSED, *missed],
    }
    return "\n\n".join(f"### {title}\n\n" + "\n".join(lines) for title, lines in parts.items())


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--felt", type=int, default=200, help="worlds a family with felt points")
    parser.add_argument("--optimist", type=int, default=200, help="worlds with touched steps alone")
    parser.add_argument("--thompson", type=int, default=50, help="worlds with one drawn place a touch")
    parser.add_argument("--sets", type=int, default=50, help="worlds with what is felt as a cost")
    parser.add_argument("--probes", type=int, default=50, help="worlds with felt points and probes")
    parser.add_argument("--wrong", type=int, default=200, help="worlds with felt points and a wrong model")
    parser.add_argument("--touches", type=int, default=200, help="after which a run ends")
    parser.add_argument("--first", type=int, default=FIRST, help="first seed")
    parser.add_argument("--keep", type=Path, default=Path("runs/whole_arm"), help="folder of the single runs")
    parser.add_argument("--join", action="store_true", help="make no run: join those that are kept")
    parser.add_argument("--out", type=Path, help="Markdown file; default: print only")
    options = parser.parse_args()
    counts = {
        "felt_points": options.felt,
        "thompson": options.thompson,
        "hypothesis_sets": options.sets,
        "felt_points, probes": options.probes,
        "optimist": options.optimist,
        "felt_points, wrong model": options.wrong,
    }
    if options.join:
        found = joined(options.families, counts, options.keep)
    else:
        found = study(options.families, counts, options.first, options.touches, options.keep)
    text = tables(found, options.touches)
    if options.out:
        write(text, options.out)
    else:
        print(text)


if __name__ == "__main__":
    main()
