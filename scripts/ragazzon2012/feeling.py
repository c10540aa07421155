"""What the experiment of chapter 7 feels: its contacts, how late, and what it feels in free motion."""

from functools import lru_cache

import numpy as np
from ledger import Rows, judged
from verdicts import in_range

from hopfield_nav.record import Run, contact_delays, contact_episodes, missed_contacts
from ragazzon2012.contact import AS_PRINTED, PUBLISHED_DELAY, RIGHT, spread
from ragazzon2012.experiment import run

TABLE = 0.00524  # [s] for which a row of the reference is held
IMPACT = 0.03  # [s] after touch
STRAIGHT, ZIGZAG = (3, 12), (14, 20)  # steps of the first path


@lru_cache
def free_run(name: str, sample_time: float) -> Run:
    """The first path with nothing in the way."""
    return run(name, "obstacles=[]", f"trajectory.sample_time={sample_time}")


def delays(recorded: Run) -> np.ndarray:
    """Time from the start of every contact that was felt to its detection [s]."""
    found = contact_delays(recorded.data.event_time.values, recorded.data.touch_time.values)
    return found[np.isfinite(found)]


def free_motion_error(name: str, sample_time: float) -> float:
    """Largest joint error of free motion [rad]."""
    data = free_run(name, sample_time).data
    return float(np.abs(data.q.values - data.q_ref.values).max())


def false_force(name: str, sample_time: float, steps: tuple[int, int]) -> float:
    """Largest estimated force in free motion between two steps of the first path [N]."""
    segment = 11.0 / 21
    data = free_run(name, sample_time).data.sel(time=slice(steps[0] * segment, steps[1] * segment))
    return float(np.linalg.norm(data.force_estimate.values, axis=1).max())


def impact(recorded: Run) -> tuple[float, float]:
    """Largest true and largest estimated force within 30 ms of the first touch [N]."""
    touch = contact_episodes(recorded)[0].start
    data = recorded.data.sel(time=slice(touch, touch + IMPACT))
    return tuple(
        float(np.linalg.norm(x.values, axis=1).max()) for x in (data.force, data.force_estimate)
    )


def rows() -> Rows:
    printed, right = run(AS_PRINTED), run(RIGHT)
    missed, total = (
        [len(f(recorded)) for recorded in (printed, right)]
        for f in (missed_contacts, contact_episodes)
    )
    ours = (
        f"as printed {printed.summary['collision_count']}, right {right.summary['collision_count']}"
    )
    yield judged("ragazzon2012.number_of_collisions", ours, None)
    ours = f"as printed {missed[0]} of {total[0]}, right {missed[1]} of {total[1]}"
    yield judged("ragazzon2012.unfelt_contact", ours, min(missed) >= 1)
    printed, right = delays(run(AS_PRINTED)), delays(run(RIGHT))
    agrees = in_range(printed, *PUBLISHED_DELAY)
    yield judged("ragazzon2012.delay_of_the_experiment_as_printed", spread(printed), agrees)
    yield judged(
        "ragazzon2012.delay_of_the_experiment_right",
        spread(right),
        in_range(right, *PUBLISHED_DELAY),
    )
    held, smooth = (
        [free_motion_error(name, t) for name in (RIGHT, AS_PRINTED)] for t in (TABLE, 0)
    )
    ours = f"right {held[0]:.1e} rad, as printed {held[1]:.1e} rad (reference held for {1e3 * TABLE:g} ms)"
    yield judged("ragazzon2012.joint_error", ours, all(2e-4 < e < 5e-3 for e in held))
    ours = f"continuous reference: {max(smooth):.0e} rad, {min(held) / max(smooth):.0f} times less"
    yield judged("ragazzon2012.cause_of_the_joint_error", ours, max(smooth) > 0.1 * min(held))
    straight, zigzag = (
        [false_force(n, TABLE, steps) for n in (RIGHT, AS_PRINTED)] for steps in (STRAIGHT, ZIGZAG)
    )
    smooth = false_force(RIGHT, 0, ZIGZAG)
    ours = (
        f"straight {straight[0]:.2f} N, zigzag {zigzag[0]:.2f} N (as printed {straight[1]:.2f} N, {zigzag[1]:.2f} N);"
        f" continuous reference {smooth:.3f} N"
    )
    yield judged(
        "ragazzon2012.forces_without_contact",
        ours,
        zigzag[0] > straight[0] > 0.1 and zigzag[1] > straight[1],
    )
    (true, felt), (true_right, felt_right) = impact(run(AS_PRINTED)), impact(run(RIGHT))
    ours = (
        f"within {1e3 * IMPACT:.0f} ms of the first touch ‖F‖ {true:.0f} N, ‖F̂‖ {felt:.1f} N (as printed); "
        f"{true_right:.0f} N, {felt_right:.1f} N (right)"
    )
    yield judged("ragazzon2012.impact", ours, felt < 0.5 * true and felt_right < 0.5 * true_right)
