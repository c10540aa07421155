"""The true contacts of a run: when each was felt, and how hard each link pressed.

Beside them stands what a human body bears. It owns the definitions, once for the summary, the
score, the command ``compare`` and the pictures:

- A **contact** lasts from the first true contact force to the last; touches within 50 ms are one.
- It was **felt** at the first alarm before it has been over for 50 ms; its **delay** runs from its
  first step to that alarm. A second alarm on the same contact is neither a detection nor false.
- One that begins while the arm slides along an obstacle is no collision that has to be felt.

A contact of a link is a contact of the rows in which the largest force is on that link. Its force
is that one or the sum of all forces on the arm, whichever is larger: several may press on one side,
or clamp.

- Its **peak force** is the largest force in it: ISO/TS 15066 calls a contact *transient* while the
  body can recoil.
- Its **lasting force** is the mean over it after the first 0.5 s: ISO/TS 15066 calls a contact
  *quasi-static* while the body is clamped. The border of 0.5 s is chosen here; a shorter contact
  has none.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hopfield_nav.loop import CONTACT_MEMORY
from hopfield_nav.record.run import Run
from hopfield_nav.world import IN_PROPORTION

if TYPE_CHECKING:
    import xarray

_NAMED = 3  # missed contacts that a line tells of
TRANSIENT_TIME = 0.5  # [s] from the beginning of a contact


def contact_delays(
    alarm_time: Sequence[float] | np.ndarray, contact_start: Sequence[float] | np.ndarray
) -> np.ndarray:
    """Delay (m,) of each of m alarms that was the first on its contact [s]; NaN for the others.

    Alarms (m,) are in order [s]; the contact of a false one starts at NaN.
    """
    alarm_time, contact_start = np.asarray(alarm_time, float), np.asarray(contact_start, float)
    _, first = np.unique(contact_start, return_index=True)
    delays = np.full(alarm_time.shape, np.nan)
    delays[first] = alarm_time[first] - contact_start[first]
    return delays


def contact_spans(time: np.ndarray, touching: np.ndarray) -> list[tuple[float, float]]:
    """Start and end [s] of every contact; touches within 50 ms (or neighbouring rows) are one."""
    rows = np.flatnonzero(touching)
    if not rows.size:
        return []
    lull = (
        max(CONTACT_MEMORY, 1.5 * float(np.median(np.diff(time))))
        if time.size > 1
        else CONTACT_MEMORY
    )
    breaks = np.flatnonzero(np.diff(time[rows]) > lull) + 1
    return [(float(time[part[0]]), float(time[part[-1]])) for part in np.split(rows, breaks)]


class ContactEpisode(NamedTuple):
    """One contact, from the first true force to the last."""

    # start, end: [s]
    start: float
    end: float
    peak_time: float  # of the largest force [s]
    peak_force: float  # its magnitude [N]
    position: np.ndarray  # (3,) true tool position at the first touch, base axes [m]
    # a collision was detected between the start and 50 ms after the end, or the arm slid
    registered: bool
    # largest alarm level from the start to 50 ms after the end, as a share of the threshold: the
    # detector's own time, and what of it rows have kept
    level: float


def contact_episodes(run: Run) -> list[ContactEpisode]:
    """Every contact of a run, in order; without recorded signals none is known.

    Touches within 50 ms of each other (or in neighbouring rows of a sparser record) are one
    contact.
    """
    time, forces, levels, places, events = run.values(
        "time", "force", "level", "tool_position", "event_time"
    )
    force = force_norm(forces)
    touching = np.flatnonzero(force > 0.0)
    episodes = []
    for start, end in contact_spans(time, force > 0.0):
        rows = touching[(time[touching] >= start) & (time[touching] <= end)]
        peak = rows[np.argmax(force[rows])]
        place = places[rows[0]]
        registered = bool(np.any((events >= start) & (events <= end + CONTACT_MEMORY)))
        registered = registered or begins_in_slide(run.slides, start)
        judged = (time >= start) & (time <= end + CONTACT_MEMORY)
        level = float(levels[judged].max())
        episodes.append(
            ContactEpisode(
                start, end, float(time[peak]), float(force[peak]), place, registered, level
            )
        )
    return episodes


def missed_contacts(run: Run) -> list[ContactEpisode]:
    """The true contacts for which no alarm came."""
    return [episode for episode in contact_episodes(run) if not episode.registered]


def missed_in_words(run: Run) -> str:
    """What was missed, and why no alarm came, in one line, the hardest contacts first.

    Nothing where none was.
    """
    count = run.summary.get("silent_contact_count")
    if not count:
        return ""
    head = "one contact was missed" if count == 1 else f"{count} contacts were missed"
    missed = sorted(missed_contacts(run), key=lambda contact: -contact.peak_force)
    if not missed:
        force = run.summary["silent_peak_force_N"]
        return f"{head}: {force:.2g} N at most (with record.signals: all also when, and how near to an alarm)"
    told = "; ".join(_missed(contact) for contact in missed[:_NAMED])
    return f"{head}: {told}{'; …' if count > _NAMED else ''}"


def _missed(contact: ContactEpisode) -> str:
    level = f"{contact.peak_time:.1f} s, {contact.peak_force:.2g} N, level {contact.level:.2g}"
    if contact.level <= 1.0:
        return f"{level} of the threshold"
    return f"{level} of the threshold, but no alarm was due (detection.hold_off, rearm, episodes)"


def begins_in_slide(slides: np.ndarray, start: float) -> bool:
    """Whether a contact begins [s] while the arm slides: (k, 2) begins and ends [s]."""
    return bool(np.any((slides[:, 0] < start) & (start <= slides[:, 1])))


def force_norm(force: np.ndarray) -> np.ndarray:
    """Magnitudes (k,) of forces (k, 3) [N]; a force that exploded is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.sqrt(np.sum(force * force, axis=-1))


def force_limits(run: Run) -> dict[str, float]:
    """Threshold and ``detection.report`` [N], of a detector of the force alone."""
    detection = run.world.detection
    both = {"threshold": detection.parameters.get("threshold"), "report": detection.report}
    alone = detection.measure == "force_norm"
    return {name: float(value) for name, value in both.items() if alone and value is not None}


def report_level(run: Run) -> dict[str, float]:
    """The level of ``detection.report`` where it is one number.

    The same share of every joint's threshold.
    """
    detection = run.world.detection
    if detection.report is None or detection.measure not in IN_PROPORTION:
        return {}
    shares = np.unique(np.asarray(detection.report) / np.asarray(detection.parameters["threshold"]))
    return {"report": float(shares[0])} if np.allclose(shares, shares[0]) else {}


class BodyRegion(NamedTuple):
    """A region of the human body, and the forces that it bears at most."""

    name: str
    lasting: float  # quasi-static [N]
    # transient [N], twice the quasi-static one; None: no such contact is allowed
    peak: float | None


BODY_REGIONS = (  # ISO/TS 15066:2016, annex A, table A.2
    BodyRegion("skull and forehead", 130.0, None),
    BodyRegion("face", 65.0, None),
    BodyRegion("neck", 150.0, 300.0),
    BodyRegion("back and shoulders", 210.0, 420.0),
    BodyRegion("chest", 140.0, 280.0),
    BodyRegion("abdomen", 110.0, 220.0),
    BodyRegion("pelvis", 180.0, 360.0),
    BodyRegion("upper arms and elbows", 150.0, 300.0),
    BodyRegion("lower arms and wrists", 160.0, 320.0),
    BodyRegion("hands and fingers", 140.0, 280.0),
    BodyRegion("thighs and knees", 220.0, 440.0),
    BodyRegion("lower legs", 130.0, 260.0),
)


def link_forces(
    time: np.ndarray, link: np.ndarray, largest: np.ndarray, total: np.ndarray
) -> dict[str, dict[str, float | None]]:
    """Peak and lasting force [N] of every link that was touched, by its number.

    ``time`` (k,) [s] of the rows of a record, in each the ``link`` (k,) with the ``largest``
    contact force (k, 3), 0 for none, and the ``total`` (k, 3) of all [N]. Where no contact lasted
    ``TRANSIENT_TIME`` the lasting force is None.
    """
    size = np.maximum(force_norm(largest), force_norm(total))
    forces: dict[str, dict[str, float | None]] = {}
    for number in np.unique(link[link > 0]):
        own = np.where(link == number, size, 0.0)
        parts = [
            (time > start + TRANSIENT_TIME) & (time <= end)
            for start, end in contact_spans(time, own > 0.0)
        ]
        lasting = max((float(own[part].mean()) for part in parts if part.any()), default=None)
        forces[str(int(number))] = {"peak_force_N": float(own.max()), "lasting_force_N": lasting}
    return forces


def link_forces_of(data: "xarray.Dataset") -> dict[str, dict[str, float | None]]:
    """As ``link_forces``, of a record."""
    return link_forces(
        *(data[name].values for name in ("time", "contact_link", "contact_force", "force"))
    )
