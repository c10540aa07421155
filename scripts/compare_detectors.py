"""Every detection method on the same contacts: delays, misses, false alarms, ROC curves.

    python scripts/compare_detectors.py --out runs/detectors --page docs/detectors_compared.md

takes about an hour with the default sizes, with ``--quick`` ten minutes. Two arms (with and without rotors
and friction), each with an ideal and with a real model. Thresholds are set on one set of seeds (1.25 times
what free motion reached) and scored on another; ``--best-hours`` of free motion are for the best methods
alone (``BEST``, chosen on a first small run). Writes ``table.md``, ``results.json``, ``contacts.csv`` and the
figures; ``--redraw`` makes tables and figures again from what was written.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import measured_part
import numpy as np
from detection.conditions import CONDITIONS, Condition
from detection.evaluation import Result, Tally, delays, missed
from detection.figures import draw_delays, draw_roc
from detection.methods import calibrate, candidates
from detection.trials import KINDS, Recorded, contacts, free_motion

from hopfield_nav.record import ContactScore, alarm_rate

CALIBRATION_SEED, TEST_SEED, BEST_SEED = 1, 2, 3
CALIBRATION_PIECE = 25.0  # [s] with the same errors of the model
ADAPTIVE = ("…, adaptive", "…, adaptive, default thresholds")
BEST = {  # methods that ten hours are spent on
    "ideal": ("momentum observer, joint torques", *ADAPTIVE),
    "real": (*ADAPTIVE, "…, adaptive and high-passed"),
}


def compare(condition: Condition, sizes: argparse.Namespace) -> list[Result]:
    """All methods under one condition."""
    started = time.perf_counter()
    motions = free_motion(condition, CALIBRATION_SEED, sizes.calibration_hours, CALIBRATION_PIECE)
    quiet = [trial._replace(truth=None) for trial in motions]
    tallies = [Tally(calibrate(candidate, quiet)) for candidate in candidates(own=sizes.own)]
    del quiet
    _say(condition, "thresholds set", started)
    _collect_free(free_motion(condition, TEST_SEED, sizes.hours), tallies)
    for kind in KINDS:
        for trial in contacts(condition, TEST_SEED, sizes.contacts, kind):
            for tally in tallies:
                tally.contact(trial, kind)
    _say(condition, "contacts done", started)
    best = [tally for tally in tallies if tally.candidate.name in BEST[condition.kind]]
    _collect_free(free_motion(condition, BEST_SEED, max(sizes.best_hours - sizes.hours, 0)), best)
    _say(condition, "finished", started)
    return [tally.result() for tally in tallies]


def _collect_free(trials: Iterable[Recorded], tallies: list[Tally]) -> None:
    for trial in trials:
        for tally in tallies:
            tally.free(trial)


def _say(condition: Condition, what: str, started: float) -> None:
    print(f"{condition.name}: {what} after {time.perf_counter() - started:.0f} s", flush=True)


def table(results: dict[str, list[Result]]) -> str:
    """Markdown, one part a condition."""
    head = ["method"]
    for kind in KINDS:
        head += [f"{kind}: delay p50, p95, max [ms]", "missed", "force [N]"]
    parts = []
    for name, rows in results.items():
        tool, arm, early = (len(rows[0].contacts[kind]) for kind in KINDS)
        counts = f"{tool} pushes of the tool, {arm} collisions of the links, {early} early ones."
        told = measured_part.table([*head, "false alarms per hour (95 %)", "hours"], map(_row, rows))
        parts.append(f"## {name}\n\n{counts}\n\n{told}")
    return "\n\n".join(parts)


def _row(result: Result) -> list[str]:
    rate, low, high = alarm_rate(result.false_alarms, max(result.free_hours, 1e-9) * 3600)
    cells = [result.name]
    for kind, found in result.contacts.items():
        cells += [_quantiles(delays(found)), f"{missed(found, kind)}"]
        cells.append(f"{np.median([c.force_at_alarm for c in found]):.0f}" if found else "–")
    return [*cells, f"{rate:.2g} ({low:.2g}–{high:.2g})", f"{result.free_hours:.2g}"]


def thresholds(results: dict[str, list[Result]]) -> str:
    """The thresholds that were found for the default detector, and how near free motion came to an alarm."""
    rows = []
    for name, found in results.items():
        own, default = (next(r for r in found if r.name == method) for method in ADAPTIVE)
        values = ", ".join(f"{value:.2g}" for value in own.keys["threshold"])
        rows.append([name, values, f"{own.free_level:.2f}", f"{default.free_level:.2f}"])
    return measured_part.table(
        ["condition", "thresholds, joints 1 to 6 [N·m]", "largest level", "of the default"], rows
    )


def _quantiles(values: np.ndarray) -> str:
    if not values.size:
        return "none felt"
    p50, p95, largest = 1e3 * np.quantile(values, [0.5, 0.95, 1.0])
    return f"{p50:.0f}, {p95:.0f}, {largest:.0f}"


def _contact_rows(results: dict[str, list[Result]]) -> Iterator[list]:
    for name, rows in results.items():
        for result in rows:
            for kind, found in result.contacts.items():
                for c in found:
                    yield [name, result.name, kind, c.delay, c.force_at_alarm, c.peak_force, *c.peak_torque]


def write(results: dict[str, list[Result]], folder: Path, page: Path | None = None) -> None:
    """Table, numbers, contacts and figures; and the tables of a page."""
    folder.mkdir(parents=True, exist_ok=True)
    if page is not None:
        measured_part.write(table(results), page, "methods")
        measured_part.write(thresholds(results), page, "thresholds")
    (folder / "table.md").write_text(table(results), encoding="utf-8")
    plain = {
        name: [
            {
                "method": r.name, "detection": r.keys, "free_hours": r.free_hours,
                "false_alarm_count": r.false_alarms, "largest_free_level": r.free_level,
                "tool_force_error_rms_N": r.force_error, "tool_torque_error_rms_Nm": r.torque_error,
                "roc": r.roc.tolist(),
            }
            for r in rows
        ]
        for name, rows in results.items()
    }  # fmt: skip
    (folder / "results.json").write_text(json.dumps(plain, indent=1, ensure_ascii=False), encoding="utf-8")
    with (folder / "contacts.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        torques = [f"peak_torque_{i}_Nm" for i in range(1, 7)]
        writer.writerow(
            ["condition", "method", "kind", "delay_s", "force_at_alarm_N", "peak_force_N", *torques]
        )
        writer.writerows(_contact_rows(results))
    draw_roc(results, folder)
    draw_delays(results, folder)


def read(folder: Path) -> dict[str, list[Result]]:
    """What ``write`` has written, to draw it again."""
    with (folder / "contacts.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]

    def found(condition: str, method: str, kind: str) -> list[ContactScore]:
        numbers = [[float(v) for v in row[3:]] for row in rows if row[:3] == [condition, method, kind]]
        return [ContactScore(np.nan, np.nan, v[0], v[1], v[2], np.array(v[3:])) for v in numbers]

    plain = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return {
        name: [
            Result(
                r["method"], r["detection"], r["free_hours"], r["false_alarm_count"], r["largest_free_level"],
                {kind: found(name, r["method"], kind) for kind in KINDS},
                r["tool_force_error_rms_N"], r["tool_torque_error_rms_Nm"], np.array(r["roc"]),
            )
            for r in methods
        ]
        for name, methods in plain.items()
    }  # fmt: skip


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("runs/detectors"))
    parser.add_argument("--page", type=Path, help="page to write the tables to")
    parser.add_argument("--calibration-hours", type=float, default=0.5)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--best-hours", type=float, default=10.0)
    parser.add_argument("--contacts", type=int, default=100, help="of each kind, for each condition")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--own", metavar="FILE.py:NAME", help="a detector of your own beside the others")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--redraw", action="store_true", help="figures and table again, from --out alone")
    sizes = parser.parse_args()
    if sizes.redraw:
        write(read(sizes.out), sizes.out, sizes.page)
        return
    if sizes.quick:
        sizes.calibration_hours, sizes.hours, sizes.best_hours, sizes.contacts = 0.1, 0.1, 0.1, 20
    with ProcessPoolExecutor(sizes.workers) as pool:
        jobs = {condition.name: pool.submit(compare, condition, sizes) for condition in CONDITIONS}
        results = {name: job.result() for name, job in jobs.items()}
    write(results, sizes.out, sizes.page)
    print(f"written to {sizes.out}")


if __name__ == "__main__":
    main()
