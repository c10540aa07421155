"""A run against the simulated truth.

What was felt, how late, what was not, and where it was marked. It owns the numbers of ``score_run``
and of the command ``compare``; what a contact is and when it was felt, ``contacts`` says. The truth
is what the record of a simulated run says of contact; a real arm has none.

- A contact without an alarm is **missed** if it was worth feeling: by its largest force, or by the
  largest torque it put on a joint.
- An alarm with no true contact in the 50 ms before is **false**. Its rate is counted on the time
  without contact, with the exact 95 % interval of a Poisson count.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynamics import BadInput
from hopfield_nav.build import build_obstacles, stands_at
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.loop import CONTACT_MEMORY
from hopfield_nav.navigation import space_of
from hopfield_nav.record.contacts import begins_in_slide, contact_spans
from hopfield_nav.record.run import Run

if TYPE_CHECKING:
    import xarray


class ContactTruth(NamedTuple):
    """What the record knows of contact, row by row."""

    time: np.ndarray  # (k,) [s]
    force: np.ndarray  # (k, 3) sum of the contact forces on the arm [N]
    largest: np.ndarray  # (k,) largest single contact force [N]
    torque: np.ndarray  # (k, n) of contact on the joints [N·m]


class ContactScore(NamedTuple):
    """One contact and whether it was felt."""

    # start, end: [s]
    start: float
    end: float
    delay: float  # from the start to its detection [s]; NaN where it was missed
    # true force when it was detected [N], 0 where the contact was over; NaN if missed
    force_at_alarm: float
    # largest true force up to the detection, or of the whole contact if missed [N]
    force_before_reaction: float
    peak_force: float  # largest true force of the whole contact [N]
    peak_torque: np.ndarray  # (n,) largest |torque| of the whole contact on each joint [N·m]


class Score(NamedTuple):
    """How a detector did."""

    contacts: tuple[ContactScore, ...]  # every contact, felt or not
    false_alarms: int  # alarms with no contact in the 50 ms before
    # alarms on a contact after the first one on it, those that were passed by not counted
    repeated_alarms: int
    free_time: float  # time outside all contacts and the 50 ms after each [s]
    force_error: float  # rms of estimated less true force during contact [N]; NaN without contact
    torque_error: np.ndarray  # (n,) the same for the torque on the joints [N·m]

    @property
    def delays(self) -> np.ndarray:
        """Of the contacts that were felt [s]."""
        return np.array([c.delay for c in self.contacts if np.isfinite(c.delay)])

    def missed(self, force: float = 0.0, torque: np.ndarray | float = 0.0) -> list[ContactScore]:
        """Contacts without an alarm, of those worth feeling.

        By peak force [N] or torque (n,) [N·m].
        """
        return [c for c in self.contacts if np.isnan(c.delay) and worth_feeling(c, force, torque)]

    def false_alarm_rate(self) -> tuple[float, float, float]:
        """False alarms per hour of free motion, and the ends of the 95 % interval."""
        return alarm_rate(self.false_alarms, self.free_time)

    def summary(self) -> dict[str, float | int | None]:
        """The numbers, keys ending in the unit; None stands for "there was none"."""
        delays, felt = self.delays, [c for c in self.contacts if np.isfinite(c.delay)]
        at_alarm, before = [c.force_at_alarm for c in felt], [c.force_before_reaction for c in felt]
        rate = self.false_alarm_rate() if self.free_time > 0 else (np.nan,) * 3
        values: dict[str, float] = {
            **_quantiles("delay_{}_s", delays, p50=0.5, p95=0.95, max=1.0),
            **_quantiles("force_at_alarm_{}_N", at_alarm, p50=0.5, max=1.0),
            **_quantiles("force_before_reaction_{}_N", before, p50=0.5, max=1.0),
            **{
                f"false_alarms_per_hour{end}": value
                for end, value in zip(("", "_low", "_high"), rate, strict=True)
            },
            "force_error_rms_N": self.force_error,
        }
        counts = {
            "contact_count": len(self.contacts),
            "felt_count": len(delays),
            "missed_count": len(self.contacts) - len(delays),
            "false_alarm_count": self.false_alarms,
            "repeated_alarm_count": self.repeated_alarms,
        }
        return {**counts, **{key: None if np.isnan(v) else float(v) for key, v in values.items()}}


def score_run(run: Run) -> Score:
    """A run's own detector against its truth.

    Alarms are those that were answered; the estimate is what the arm believed.
    """
    data = run.data
    estimates = data.force_estimate.values, data.tau_external_estimate.values
    alarms, touched = data.event_time.values, data.touch_time.values
    return score(truth_of_data(data), alarms, *estimates, touched, run.passed_by, run.slides)


def score(
    truth: ContactTruth,
    alarms: np.ndarray,
    force_estimate: np.ndarray,
    torque_estimate: np.ndarray,
    touched: np.ndarray | None = None,
    passed_by: np.ndarray | None = None,
    slides: np.ndarray | None = None,
) -> Score:
    """Alarms (m,), in order [s], and estimates against the truth of k rows.

    Estimates are forces (k, 3) [N] and torques (k, n) [N·m]. ``touched`` (m,) [s] says when the
    contact of each alarm began, where that is known better than to a row; NaN where nothing
    touched. ``passed_by`` (m,) are alarms that the arm passed by; contacts that begin in ``slides``
    (j, 2) [s] are not scored.
    """
    touching = truth.largest > 0.0
    every = contact_spans(truth.time, touching)
    slides = np.zeros((0, 2)) if slides is None else slides
    spans = [(start, end) for start, end in every if not begins_in_slide(slides, start)]
    alarms = np.asarray(alarms, dtype=np.float64)
    touched = (
        np.full(alarms.shape, np.nan) if touched is None else np.asarray(touched, dtype=np.float64)
    )
    answered = np.ones(alarms.shape, dtype=bool) if passed_by is None else ~passed_by
    row = float(np.median(np.diff(truth.time))) if truth.time.size > 1 else 0.0
    felt = [(alarms > start - row) & (alarms <= end + CONTACT_MEMORY) for start, end in spans]
    force_error, error = np.nan, np.full(truth.torque.shape[1], np.nan)
    if touching.any():
        force_error = np.sqrt(
            np.mean((force_estimate[touching] - truth.force[touching]) ** 2)
        ) * np.sqrt(3)
        error = np.sqrt(np.mean((torque_estimate[touching] - truth.torque[touching]) ** 2, axis=0))
    false = ~np.any([*felt, np.isfinite(touched)], axis=0)
    free = np.ones(truth.time.size, dtype=bool)
    for start, end in every:
        free &= (truth.time < start) | (truth.time > end + CONTACT_MEMORY)
    return Score(
        tuple(
            _contact(truth, *span, alarms[own], touched[own])
            for span, own in zip(spans, felt, strict=True)
        ),
        int(np.count_nonzero(false)),
        sum(max(int(np.count_nonzero(own & answered)) - 1, 0) for own in felt),
        float(np.count_nonzero(free)) * row,
        float(force_error),
        error,
    )


def truth_of_data(data: "xarray.Dataset") -> ContactTruth:
    """The true contact that a run's record holds, ``log.nc`` or an exported table."""
    largest = np.linalg.norm(data.contact_force.values, axis=1)
    return ContactTruth(data.time.values, data.force.values, largest, data.tau_external.values)


def worth_feeling(contact: ContactScore, force: float, torque: np.ndarray | float) -> bool:
    """Whether a contact reaches a force [N], or a torque [N·m] on any joint."""
    return bool(contact.peak_force >= force or np.any(contact.peak_torque >= torque))


def _contact(
    truth: ContactTruth, start: float, end: float, alarms: np.ndarray, touched: np.ndarray
) -> ContactScore:
    """A contact between two rows, and the alarms on it.

    In a sparse record the first may be before them.
    """
    inside = (truth.time >= start) & (truth.time <= end)
    peak, peak_torque = float(truth.largest[inside].max()), np.abs(truth.torque[inside]).max(axis=0)
    if not alarms.size:
        return ContactScore(start, end, np.nan, np.nan, peak, peak, peak_torque)
    first = float(alarms[0])
    start = float(touched[0]) if np.isfinite(touched[0]) else start
    last = max(int(np.searchsorted(truth.time, first + 1e-9)) - 1, 0)  # row up to the alarm
    before = float(truth.largest[inside & (truth.time <= max(first, truth.time[inside][0]))].max())
    at_alarm = float(truth.largest[last])
    return ContactScore(start, end, max(first - start, 0.0), at_alarm, before, peak, peak_torque)


def _quantiles(name: str, values: np.ndarray | list[float], **shares: float) -> dict[str, float]:
    """Quantiles by the name that each has in tables; NaN where there are no values."""
    return {
        name.format(key): float(np.quantile(values, q)) if len(values) else np.nan
        for key, q in shares.items()
    }


def alarm_rate(count: int, seconds: float) -> tuple[float, float, float]:
    """Alarms per hour, low and high end: the exact 95 % interval of a Poisson count (Garwood 1936).

    Raises ``BadInput``: no time watched, or a negative count.
    """
    from scipy.stats import chi2

    if not seconds > 0 or count < 0:
        raise BadInput("no rate", found=(count, seconds), allowed="a count, and seconds above 0")
    hours = seconds / 3600
    low = float(chi2.ppf(0.025, 2 * count)) / 2 if count else 0.0
    return count / hours, low / hours, float(chi2.ppf(0.975, 2 * count + 2)) / 2 / hours


def share_interval(count: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share ``count / n``, 0 to 1 (Wilson 1927; Newcombe 1998, method 3).

    Raises ``BadInput``: no count from 0 to n, or n below 1.
    """
    if not 0 <= count <= n or n < 1:
        raise BadInput(
            "no share", found=(count, n), allowed="a count from 0 to n, which is 1 or more"
        )
    from scipy.stats import binomtest

    found = binomtest(count, n).proportion_ci(0.95, "wilson")
    return float(found.low), float(found.high)


NEAR = 0.04  # [m] from the true point a place is as good as right


def map_error(run: Run) -> float | None:
    """Mean distance of the centres of marked cells from the nearest obstacle surface or inside [m].

    A centre inside an obstacle counts as 0. Of obstacles that come and go those count that stood
    when a cell was marked. A perfect map on a grid of spacing s is off by up to s/√2 for cells that
    an obstacle only grazes. None where nothing was marked or there is nothing to mark.
    """
    data, world = run.data, run.world
    solids = build_obstacles(world)
    if data.sizes["event"] == 0 or len(solids) == 0 or not space_of(world).of_places:
        return None
    marked = _marked_at(run)
    cells = np.argwhere(np.isfinite(marked))
    if not len(cells):
        return None
    centres = np.tile(np.array(world.map.origin), (len(cells), 1))
    centres[:, : cells.shape[1]] += world.map.spacing * cells
    points = np.column_stack([centres, centres, np.zeros(len(cells))])
    stood = np.array([stands_at(run.standing_times, time) for time in marked[tuple(cells.T)]])
    distance = np.where(stood, capsule_distance(points, solids), np.inf).min(axis=1)
    distance = distance[np.isfinite(distance)]  # without those for which nothing stood
    return float(np.maximum(distance, 0.0).mean()) if distance.size else None


def _marked_at(run: Run) -> np.ndarray:
    """When each cell was marked that is marked at the end [s], a grid; NaN for others."""
    before = run.felt_after(0)
    marked = np.full(before.shape, np.nan)
    for count, time in enumerate(run.data.event_time.values, start=1):
        after = run.felt_after(count)
        marked[after & ~before], marked[~after] = time, np.nan
        before = after
    return marked


def place_errors(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """How far the likeliest place of each touch is from where the arm was touched.

    It is known on a map of joint angles. (k,) distance [m] of the touches that were felt somewhere
    while something touched, and (k,) bool, whether the link is right.
    """
    data = run.data
    if "felt_point" not in data or data.sizes["place"] == 0:
        return np.zeros(0), np.zeros(0, dtype=bool)
    error = np.linalg.norm(data.felt_point.values[:, 0] - data.event_true_point.values, axis=1)
    there = np.isfinite(error)
    return error[there], (data.felt_link.values[:, 0] == data.event_true_link.values)[there]


def marks_score(run: Run) -> dict[str, float | None]:
    """The numbers of this module by their names in tables; None where there is nothing to judge."""
    error, right = place_errors(run)
    return {
        "map_error_m": map_error(run),
        "place_error_p50_m": float(np.median(error)) if len(error) else None,
        "place_within_4cm_share": float(np.mean(error <= NEAR)) if len(error) else None,
        "place_link_share": float(np.mean(right)) if len(error) else None,
    }
