"""Sections 4.2 and 4.6: do standard deviations tell the error, over 200 experiments; what a fit costs."""

import time
from dataclasses import replace

import numpy as np
from identification_coverage import coverage, experiment, the_arm, the_trajectory
from keeping import kept
from ledger import Rows, judged

from dynamics.identification import base_regressor, identify
from madsen2020 import bench
from madsen2020.bench import trajectory_of
from madsen2020.excitation import FourierTrajectory

REPEATS, LEVEL = 200, 0.95
# samples from one that is kept to the next, and the cutoff of that filter [Hz]
EVERY, CUTOFF = (20, 20.0)
MORE = 5  # the same where four times as many are kept


@kept("test_madsen2020.py::test_the_motion_that_is_repeated_is_at_rest_at_both_ends", trajectory_of)
def motion() -> FourierTrajectory:
    return the_trajectory(the_arm())


@kept("test_madsen2020.py::test_intervals_cover_as_kept", lambda found: np.array(found, dtype=bool))
def inside(repeats: int = REPEATS) -> np.ndarray:
    """(repeats, unknowns) whether the 95 % interval of an identification held the truth."""
    return coverage(experiment(motion()), repeats, np.random.default_rng(1)).inside.astype(int)


@kept("test_ledger_rows.py::test_times_are_of_the_order_kept")
def seconds_of_a_fit(every: int = EVERY) -> tuple[float, float, int]:
    """Processor time of the fit of 31 s at 1 kHz, every so many samples kept, and of its regressor [s]; their count."""
    log, arm = bench.identification_log(), bench.true_arm()
    started = time.process_time()
    found = identify(log, arm, replace(bench.options(True), parallel_cutoff=CUTOFF * EVERY / every))
    taken = time.process_time() - started
    q = log.q[::every]
    started = time.process_time()
    base_regressor(arm, found.base, q, np.zeros_like(q), np.zeros_like(q))
    return taken, time.process_time() - started, len(q)


def rows() -> Rows:
    found = inside()
    by_repeat, by_unknown = found.mean(axis=1), found.mean(axis=0)
    half = 1.96 * by_repeat.std(ddof=1) / np.sqrt(len(found))
    ours = (
        f"95 % intervals hold the truth in {100 * by_repeat.mean():.1f} ± {100 * half:.1f} % of"
        f" {found.shape[1]} unknowns in {len(found)} experiments; single unknowns"
        f" {100 * by_unknown.min():.0f}–{100 * by_unknown.max():.0f} %"
    )
    yield judged("madsen2020.deviations", ours, bool(abs(by_repeat.mean() / LEVEL - 1) < 0.01))
    (few, regressor, count), (many, _, more) = seconds_of_a_fit(), seconds_of_a_fit(MORE)
    ours = (
        f"{few:.1f} s† with {count} samples, {many:.1f} s† with {more}; {1e6 * regressor / count:.0f} µs† a"
        " sample for the regressor"
    )
    yield judged("madsen2020.cost_of_a_fit", ours, few < many)
