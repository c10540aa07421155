"""A run against the simulated truth: what was felt, how late, what was not, and where it was marked.

It owns the definitions, once for ``score_run``, the command ``compare``, the summary and the pictures.
The truth is what the record of a simulated run says of contact; a real arm has none.

- A **contact** lasts from the first true contact force to the last; touches within 50 ms are one.
- Its **delay** runs from its first step to the first alarm before it has been over for 50 ms. A second
  alarm on the same contact is neither a detection nor false.
- A contact without an alarm is **missed** if it was worth feeling: by its largest force, or by the
  largest torque it put on a joint.
- An alarm with no true contact in the 50 ms before is **false**. Its rate is counted on the time without
  contact, with the exact 95 % interval of a Poisson count.
- A contact of the tool alone, as the pictures show it, is a **contact episode**.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopfield_nav.experiment.rates import alarm_rate
from hopfield_nav.experiment.run import Run
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.world import build_obstacles

LULL = 0.05  # [s] a contact lost for longer than this has ended


class ContactTruth(NamedTuple):
    """What the record knows of contact, row by row.

    Attributes:
        time: (k,) [s].
        force: (k, 3) sum of the contact forces on the arm [N].
        largest: (k,) largest single contact force [N].
        torque: (k, n) of contact on the joints [N·m].
    """

    time: np.ndarray
    force: np.ndarray
    largest: np.ndarray
    torque: np.ndarray


class ContactScore(NamedTuple):
    """One contact and whether it was felt.

    Attributes:
        start, end: [s].
        delay: from the start to its detection [s]; NaN where it was missed.
        force_at_alarm: largest true force up to the detection, or of the whole contact if missed [N].
        peak_force: largest true force of the whole contact [N].
        peak_torque: (n,) largest |torque| of the whole contact on each joint [N·m].
    """

    start: float
    end: float
    delay: float
    force_at_alarm: float
    peak_force: float
    peak_torque: np.ndarray


class Score(NamedTuple):
    """How a detector did.

    Attributes:
        contacts: every contact, felt or not.
        false_alarms: alarms with no contact in the 50 ms before.
        free_time: time without contact [s].
        force_error: rms of estimated less true force during contact [N]; NaN without contact.
        torque_error: (n,) the same for the torque on the joints [N·m].
    """

    contacts: tuple[ContactScore, ...]
    false_alarms: int
    free_time: float
    force_error: float
    torque_error: np.ndarray

    @property
    def delays(self) -> np.ndarray:
        """Of the contacts that were felt [s]."""
        return np.array([c.delay for c in self.contacts if np.isfinite(c.delay)])

    def missed(self, force: float = 0.0, torque: np.ndarray | float = 0.0) -> list[ContactScore]:
        """Contacts without an alarm, of those worth feeling.

        Args:
            force: least peak force that makes a contact worth feeling [N].
            torque: (n,) least peak torque on a joint that does so too [N·m].
        """
        return [c for c in self.contacts if np.isnan(c.delay) and worth_feeling(c, force, torque)]

    def false_alarm_rate(self) -> tuple[float, float, float]:
        """False alarms per hour of free motion, and the ends of the 95 % interval."""
        return alarm_rate(self.false_alarms, self.free_time)

    def summary(self) -> dict[str, float | int | None]:
        """The numbers, keys ending in the unit; None stands for "there was none"."""
        delays, reactions = self.delays, [c.force_at_alarm for c in self.contacts if np.isfinite(c.delay)]
        rate = self.false_alarm_rate() if self.free_time > 0 else (np.nan,) * 3
        values: dict[str, float] = {
            "delay_p50_s": _quantile(delays, 0.5),
            "delay_p95_s": _quantile(delays, 0.95),
            "delay_max_s": _quantile(delays, 1.0),
            "force_before_reaction_p50_N": _quantile(reactions, 0.5),
            "force_before_reaction_max_N": _quantile(reactions, 1.0),
            "false_alarms_per_hour": rate[0],
            "false_alarms_per_hour_low": rate[1],
            "false_alarms_per_hour_high": rate[2],
            "force_error_rms_N": self.force_error,
        }
        counts = {
            "contact_count": len(self.contacts),
            "felt_count": len(delays),
            "missed_count": len(self.contacts) - len(delays),
            "false_alarm_count": self.false_alarms,
        }
        return {**counts, **{key: None if np.isnan(v) else float(v) for key, v in values.items()}}


def score_run(run: Run) -> Score:
    """A run's own detector against its truth.

    Alarms are those that were answered; the estimate is what the arm believed.
    """
    data = run.data
    return score(
        truth_of_run(run),
        data.event_time.values,
        data.force_estimate.values,
        data.tau_external_estimate.values,
    )


def score(
    truth: ContactTruth, alarms: np.ndarray, force_estimate: np.ndarray, torque_estimate: np.ndarray
) -> Score:
    """Alarms and estimates against the truth.

    Args:
        truth: of k rows.
        alarms: (m,) times [s].
        force_estimate: (k, 3) [N].
        torque_estimate: (k, n) [N·m].
    """
    touching = truth.largest > 0.0
    spans = contact_spans(truth.time, touching)
    alarms = np.sort(np.asarray(alarms, dtype=np.float64))
    felt = [(alarms >= start) & (alarms <= end + LULL) for start, end in spans]
    n = truth.torque.shape[1]
    error = np.full(n, np.nan)
    force_error = np.nan
    if touching.any():
        force_error = _rms(force_estimate[touching] - truth.force[touching], axis=None) * np.sqrt(3)
        error = _rms(torque_estimate[touching] - truth.torque[touching], axis=0)
    false = ~np.any(felt, axis=0) if spans else np.ones(len(alarms), dtype=bool)
    return Score(
        tuple(_contact(truth, span, alarms[own]) for span, own in zip(spans, felt, strict=True)),
        int(np.count_nonzero(false)),
        _free_time(truth.time, spans),
        float(force_error),
        error,
    )


def truth_of_run(run: Run) -> ContactTruth:
    """The true contact of a simulated run."""
    data = run.data
    largest = np.linalg.norm(data.contact_force.values, axis=1)
    return ContactTruth(data.time.values, data.force.values, largest, data.tau_external.values)


def worth_feeling(contact: ContactScore, force: float, torque: np.ndarray | float) -> bool:
    """Whether a contact reaches a force [N], or a torque [N·m] on any joint."""
    return bool(contact.peak_force >= force or np.any(contact.peak_torque >= torque))


def contact_spans(time: np.ndarray, touching: np.ndarray) -> list[tuple[float, float]]:
    """Start and end [s] of every contact; touches within 50 ms (or neighbouring rows) are one."""
    rows = np.flatnonzero(touching)
    if not rows.size:
        return []
    lull = max(LULL, 1.5 * float(np.median(np.diff(time)))) if time.size > 1 else LULL
    breaks = np.flatnonzero(np.diff(time[rows]) > lull) + 1
    return [(float(time[part[0]]), float(time[part[-1]])) for part in np.split(rows, breaks)]


def _contact(truth: ContactTruth, span: tuple[float, float], alarms: np.ndarray) -> ContactScore:
    start, end = span
    first = float(alarms[0]) if alarms.size else np.nan
    inside = (truth.time >= start) & (truth.time <= end)
    before = inside & (truth.time <= first) if alarms.size else inside
    return ContactScore(
        start=start,
        end=end,
        delay=first - start,
        force_at_alarm=float(truth.largest[before].max()),
        peak_force=float(truth.largest[inside].max()),
        peak_torque=np.abs(truth.torque[inside]).max(axis=0),
    )


def _free_time(time: np.ndarray, spans: list[tuple[float, float]]) -> float:
    """Time [s] outside all contacts and the 50 ms after each."""
    if time.size < 2:
        return 0.0
    period = float(np.median(np.diff(time)))
    taken = np.zeros(time.size, dtype=bool)
    for start, end in spans:
        taken |= (time >= start) & (time <= end + LULL)
    return float(np.count_nonzero(~taken)) * period


def _quantile(values: np.ndarray | list[float], share: float) -> float:
    return float(np.quantile(values, share)) if len(values) else np.nan


def _rms(values: np.ndarray, axis: int | None) -> np.ndarray:
    return np.sqrt(np.mean(values * values, axis=axis))


class ContactEpisode(NamedTuple):
    """One contact, from the first true force to the last.

    Attributes:
        start, end: [s].
        peak_time: of the largest force [s]; peak_force: its magnitude [N].
        position: (3,) true tool position at the first touch, base axes [m].
        registered: a collision was detected between the start and 50 ms after the end.
    """

    start: float
    end: float
    peak_time: float
    peak_force: float
    position: np.ndarray
    registered: bool


def contact_episodes(run: Run) -> list[ContactEpisode]:
    """Every contact of a run, in order.

    Touches within 50 ms of each other (or in neighbouring rows of a sparser record) are one contact.

    Args:
        run: a run; without recorded signals it has no known contacts.

    Returns:
        The episodes; empty when nothing was touched.
    """
    time, force = run.data.time.values, force_norm(run.data.force.values)
    touching = np.flatnonzero(force > 0.0)
    spans = contact_spans(time, force > 0.0)
    inside = [(time[touching] >= start) & (time[touching] <= end) for start, end in spans]
    return [_episode(run, time, force, touching[own]) for own in inside]


def missed_contacts(run: Run) -> list[ContactEpisode]:
    """The contacts that were not registered."""
    return [episode for episode in contact_episodes(run) if not episode.registered]


def force_norm(force: np.ndarray) -> np.ndarray:
    """Magnitudes (k,) of forces (k, 3) [N]; a force that exploded is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.sqrt(np.sum(force * force, axis=-1))


def _episode(run: Run, time: np.ndarray, force: np.ndarray, rows: np.ndarray) -> ContactEpisode:
    start, end = float(time[rows[0]]), float(time[rows[-1]])
    peak = rows[np.argmax(force[rows])]
    events = run.data.event_time.values
    return ContactEpisode(
        start=start,
        end=end,
        peak_time=float(time[peak]),
        peak_force=float(force[peak]),
        position=run.data.tool_position.values[rows[0]],
        registered=bool(np.any((events >= start) & (events <= end + LULL))),
    )


def map_error(run: Run) -> float | None:
    """Mean distance of the centres of marked cells from the nearest obstacle surface or inside [m].

    A centre inside an obstacle counts as 0. A perfect map on a grid of spacing s is off by up to s/√2
    for cells that an obstacle only grazes.

    Returns:
        [m], or None where nothing was marked or there is nothing to mark.
    """
    data, world = run.data, run.world
    solids = build_obstacles(world)
    if data.sizes["event"] == 0 or len(solids) == 0:
        return None
    cells = np.argwhere(data.event_map.values[-1] > 0)
    if not len(cells):
        return None
    centres = np.tile(np.array(world.map.origin), (len(cells), 1))
    centres[:, : cells.shape[1]] += world.map.spacing * cells
    points = np.column_stack([centres, centres, np.zeros(len(cells))])
    return float(np.maximum(capsule_distance(points, solids).min(axis=1), 0.0).mean())
