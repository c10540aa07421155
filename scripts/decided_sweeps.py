"""How often a sweep that goes on until it is decided errs, what it decides, and what it costs.

    python scripts/decided_sweeps.py [--sweeps 2000] [--out docs/lab/sweeps.md]

draws sweeps whose settings have known means, equal ones among them, lets each go on until it is
decided (``hopfield_nav.sweeps.rounds``), and compares the verdict with the truth; besides, in a
quarter of them, all settings get the same seeds, and every verdict on the way counts, also those
after which one would have stopped. Then pairs of settings that differ by twice the zone, and how
often each interval ever leaves out the truth, beside Student's looked at again and again.
"""

import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from measured_part import table, tell

from hopfield_nav.sweeps import Aim, Settings
from hopfield_nav.sweeps.any_time import share_limits
from hopfield_nav.sweeps.bets import log_wealth
from hopfield_nav.sweeps.gaps import Gap
from hopfield_nav.sweeps.rounds import Stage, first_stage, go_on
from hopfield_nav.sweeps.sections import REACHED, Equal
from hopfield_nav.sweeps.settings import ALARMS, MISSED, PEAK
from hopfield_nav.sweeps.sweep_file import Budget
from hopfield_nav.sweeps.verdict import Verdict, verdict_of

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "sweeps"))
from synthetic import AIM, Truth, draw_truth  # noqa: E402

SHAPES = ((4,), (3, 3), (16,))
KINDS = tuple(itertools.product(SHAPES, (False, True), (False, True)))  # shape, aimed, all alike
FIRST, SEEDS = 4, 150  # seeds in the first round, and on average at the most
LOOKS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)  # numbers of seeds of all settings
PAIRS, SEQUENCES, LENGTH, LEVEL = 100, 1000, 400, 0.05
HEADS = {
    "decided": ["sweeps", "number", "decided", "wrong", "wrong at any look", "runs", "runs if all had as many"],
    "pairs": ["two settings", "decided", "wrong", "seeds of each"],
    "coverage": ["interval", "ever wrong"],
}  # fmt: skip
BEST = {REACHED: 1.0, ALARMS: 0.0, MISSED: 0.0, PEAK: 1.0}
WORSE: dict[str, dict[str, float]] = {
    "equal": {}, "shares 1 and 0.8": {REACHED: 0.8}, "false alarms 0 and 1": {ALARMS: 1.0},
    "missed contacts 0 and 1": {MISSED: 1.0}, "forces 4 % apart": {PEAK: 1.04},
}  # fmt: skip
KEPT = ROOT / "runs" / "decided_sweeps.json"

SHAPES = ((4,), (3, 3), (16,))
KINDS = tuple(itertools.product(SHAPES, (False, True), (False, True)))  # shape, aimed, all alike
FIRST, SEEDS = 4, 150  # seeds in the first round, and on average at the most
LOOKS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)  # numbers of seeds of all settings
PAIRS, SEQUENCES, LENGTH, LEVEL = 100, 1000, 400, 0.05
HEAD = [
    "sweeps",
    "number",
    "decided",
    "wrong",
    "wrong at any look",
    "runs",
    "runs without stopping",
]


def main(
    sweeps: int = 2000,
    out: Annotated[Path | None, typer.Option(help="Page whose tables are renewed.")] = None,
    kept: Annotated[Path, typer.Option(help="Lines that are made, to go on with.")] = KEPT,
) -> None:
    """Draw, decide, count, print; lines that are kept are not made again."""
    known: dict[str, list[str]] = json.loads(kept.read_text()) if kept.exists() else {}
    for key, make in lines(math.ceil(sweeps / len(KINDS))):
        if key not in known:
            known[key] = make(np.random.default_rng([*key.encode()]))
            print(known[key], file=sys.stderr, flush=True)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(known, indent=1))
    for name, head in HEADS.items():
        rows = [row for key, row in known.items() if key.startswith(name)]
        tell(table(head, rows), out, name)


def lines(many: int) -> Iterator[tuple[str, Callable[[np.random.Generator], list[str]]]]:
    """Every line of the tables by its key, which begins with the name of its table, and what makes it."""
    for shape, aimed, alike in KINDS:
        key = f"decided {shape} {'aim' if aimed else 'rule'} {'alike' if alike else 'other'}"
        yield key, partial(line, shape, AIM if aimed else None, alike, many)
    for words, changed in WORSE.items():
        yield f"pairs {words}", partial(pair, words, changed)
    for share in (0.5, 0.9, 0.99):
        yield f"coverage {share}", partial(of_shares, share)
    for kind, make in {"counts": of_counts, "forces": of_forces, "student": of_student}.items():
        yield f"coverage {kind}", make


def line(
    shape: tuple[int, ...], aim: Aim | None, alike: bool, many: int, random: np.random.Generator
) -> list[str]:
    """Sweeps of one kind: how many are decided, how many wrongly, and after how many runs."""
    decided, wrong, looked, wrong_looks = 0, 0, 0, 0
    spent, fixed = [], []
    for k in range(many):
        truth = draw_truth(random, shape, alike)
        settings = truth.runs(SEEDS * 6, random)
        stage = decide(settings, aim)
        decided += is_decided(stage)
        wrong += is_wrong(stage, truth, aim)
        spent.append(int(stage.judged.sum()))
        fixed.append(len(stage.judged) * int(stage.judged.max()))
        if k % 4 == 0:
            looked += 1
            wrong_looks += any(wrong_looks_of(settings, truth, aim))
    equal = "all equal, " if alike else ""
    how = "by an aim" if aim else "by the rule"
    return [
        f"{np.prod(shape)} settings, {equal}{how}", str(many), f"{decided / many:.0%}",
        f"{wrong} of {many}", f"{wrong_looks} of {looked}", f"{np.median(spent):.0f}",
        f"{np.median(fixed):.0f}",
    ]  # fmt: skip


def decide(settings: Settings, aim: Aim | None) -> Stage:
    """Let a sweep go on until it is decided, or its budget is spent."""
    count = len(settings.reached)
    budget = Budget(FIRST, count * SEEDS)
    return go_on(first_stage(count, budget), settings, aim, budget)


def is_decided(stage: Stage) -> bool:
    """Whether a verdict holds."""
    return stage.verdict is not None and stage.verdict.decided


def is_wrong(stage: Stage, truth: Truth, aim: Aim | None) -> bool:
    """Whether a verdict holds that is wrong."""
    return stage.verdict is not None and verdict_is_wrong(stage.verdict, truth, aim)


def verdict_is_wrong(verdict: Verdict, truth: Truth, aim: Aim | None) -> bool:
    """Whether a verdict holds and is wrong; ``none`` is wrong where a setting keeps the aim."""
    if not verdict.decided:
        return False
    if verdict.none:
        return aim is not None and any(truth.keeps(k) for k in range(len(truth.neighbours)))
    return truth.is_wrong(verdict.leader, aim)


def wrong_looks_of(settings: Settings, truth: Truth, aim: Aim | None) -> Iterator[bool]:
    """Whether the verdict is wrong at each number of seeds that all settings have."""
    for seeds in LOOKS:
        columns = {name: values[:, :seeds] for name, values in settings.columns.items()}
        so_far = Settings(settings.reached[:, :seeds], columns, settings.neighbours)
        yield verdict_is_wrong(verdict_of(so_far, aim), truth, aim)


def pair(words: str, changed: dict[str, float], random: np.random.Generator) -> list[str]:
    """Two settings of which the second is worse: how many of these sweeps are decided, how many wrongly."""
    means = {name: np.array([best, changed.get(name, best)]) for name, best in BEST.items()}
    truth = Truth(means, np.empty((2, 0), int))
    stages = [decide(truth.runs(SEEDS * 2, random), None) for _ in range(PAIRS)]
    decided = sum(map(is_decided, stages))
    wrong = sum(is_wrong(stage, truth, None) for stage in stages)
    seeds = np.median([stage.judged.max() for stage in stages])
    return [words, f"{decided} of {PAIRS}", f"{wrong} of {PAIRS}", f"{seeds:.0f}"]


def of_shares(share: float, random: np.random.Generator) -> list[str]:
    """How often the limits of a share ever leave it out."""
    counts = np.cumsum(random.random((SEQUENCES, LENGTH)) < share, axis=1)
    wrong = sum(is_ever_out(own, share) for own in counts)
    return [f"limits of a share of {share}, after 1 to {LENGTH} runs", ever(wrong)]


def of_counts(random: np.random.Generator) -> list[str]:
    """How often bets ever show one of two equal counts to be larger."""
    gap = Gap.of(ALARMS, Equal())
    first, second = random.poisson(0.5, (2, SEQUENCES, LENGTH)).astype(float)
    return [
        f"bets on equal counts, after 1 to {LENGTH} pairs",
        ever(ever_won(gap(first, second), gap)),
    ]


def of_forces(random: np.random.Generator) -> list[str]:
    """How often bets ever show one of two equal forces to be larger."""
    gap = Gap.of(PEAK, Equal())
    first, second = np.exp(0.05 * random.standard_normal((2, SEQUENCES, LENGTH)))
    return [
        f"bets on equal forces, after 1 to {LENGTH} pairs",
        ever(ever_won(gap(first, second), gap)),
    ]


def of_student(random: np.random.Generator) -> list[str]:
    """How often Student's interval of two equal forces ever leaves out 0."""
    first, second = 0.05 * random.standard_normal((2, SEQUENCES, LENGTH))
    wrong = ever_by_student(first - second)
    return ["Student's interval of equal forces, looked at after 3 to 20 pairs", ever(wrong)]


def is_ever_out(counts: np.ndarray, share: float) -> bool:
    """Whether the limits ever leave out the share; counts (n,) of arrivals after 1, 2, … runs."""
    limits = (share_limits(int(count), n, LEVEL) for n, count in enumerate(counts, 1))
    return any(not low <= share <= high for low, high in limits)


def ever_won(gaps: np.ndarray, gap: Gap) -> int:
    """In how many sequences (k, n) of gaps, whose mean is 0, bets ever show that it is above 0."""
    won = np.zeros(len(gaps), bool)
    for n in range(1, gaps.shape[1] + 1):
        won |= log_wealth(gaps[:, :n], 0.0, gap.bound) >= -np.log(LEVEL)
    return int(won.sum())


def ever_by_student(gaps: np.ndarray) -> int:
    """In how many sequences Student's interval ever leaves out 0."""
    from scipy.special import stdtrit

    out = np.zeros(len(gaps), bool)
    for n in range(3, 21):
        own = gaps[:, :n]
        half = stdtrit(n - 1, 1.0 - 0.5 * LEVEL) * own.std(axis=1, ddof=1) / np.sqrt(n)
        out |= np.abs(own.mean(axis=1)) > half
    return int(out.sum())


def ever(wrong: int) -> str:
    """So many of the sequences."""
    return f"{wrong / SEQUENCES:.1%}"


if __name__ == "__main__":
    typer.run(main)
