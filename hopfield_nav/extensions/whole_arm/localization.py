"""From torque to point: where on the arm a touch may have been, each place with a weight.

It reads the control computer's trace some milliseconds after an alarm, takes off what the model
leaves in free motion, and asks the isolation which patches of the arm's surface explain the rest.
Patches that moved outwards when the contact began are more likely than those that moved away from
it; near ones form a ball.

An ideal joint that stands still bears up to its Coulomb friction without a trace: what is felt on
it is too small by something between nothing and that. A gear that gives shows what it bears; how
far the believed friction may then be wrong is shown by gears that are softer and stiffer, along the
path that was measured. So clear a torque also shows that a surface is rough, and the push not along
the normal: a little of the weight is of pushes within a friction cone, which wins where no push
along a normal explains what is felt.
"""

import numpy as np

from dynamics import Arm, presliding_torque
from hopfield_nav.control import angles_in, free_rows, torques_in
from hopfield_nav.extensions import isolation
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.geometry import LINK, capsules_in_base
from hopfield_nav.navigation.map import NOWHERE, ContactHypotheses

_UNSEEN = 12.0**-0.5  # of what a gear bears within a step of its encoder, any of which is as likely


def gives(model: Arm) -> bool:
    """Whether gears of an arm give before they slip, so that a standing joint shows what it bears."""
    return bool(np.isfinite(model.presliding).all() and np.any(model.friction))


def when_to_look(onset: float, alarm: float, model: Arm) -> float:
    """When a touch is to be located [s], by when it began and was felt; a soft one is looked at longer."""
    if gives(model):
        return alarm + min(max(alarm - onset, numbers.LEAST_LATER), numbers.MOST_LATER)
    return alarm + numbers.LATER


def localize_contact(
    arm: Arm, rows: np.ndarray, onset: float, model: Arm, passed: np.ndarray | None = None,
    resolution: np.ndarray | float = 0.0, generator: np.random.Generator | None = None,
) -> ContactHypotheses:  # fmt: skip
    """Where a touch may have been, none where nothing explains what is felt.

    The arm has its outline; ``rows`` (k, 2 + 2 n) are from ``control.in_order``, the last one is to
    be read; contact began at ``onset`` [s]. ``model`` has the joints' friction and gears, as far as
    they are known. ``passed`` (m, n) are joint angles at which nothing touched before these rows
    [rad], and ``resolution`` is the step of the encoders, one or (n,) [rad], of gears that give.
    With a ``generator`` a particle filter finds the places, which it draws, and else the fit of
    every patch.
    """
    free = _thinned(angles_in(free_rows(rows, onset, np.inf)))
    giving = gives(model)
    if passed is not None:
        free = np.vstack([passed, free])
    swept = capsules_in_base(arm, free) if len(free) else np.zeros((0, 0, 7))
    looks = _looks(rows, onset, model, resolution, 1 if generator is None else numbers.LOOKS)
    surface = isolation.default_surface(arm)
    for factor in numbers.LESS_SURE:
        less_sure = [(q, change, factor * noise) for q, change, noise in looks]
        if generator is None:
            fit, q = _fit_mixture if giving else isolation.fit_surface, less_sure[-1][0]
            patches = isolation.read_fit(
                arm, surface, q, fit(arm, surface, *less_sure[-1], free=swept)
            )
            body = surface.patches[patches.patches, isolation.BODY]
            points, inward, weight = patches.points, patches.normals, patches.weight
        else:
            body, _, _, points, inward, weight = isolation.filter_contact(
                arm, surface, less_sure, generator, swept
            )
        if len(weight):
            break
    else:
        return NOWHERE
    links = surface.bodies[body.astype(int), LINK].astype(int)
    weight = weight * _outwards(arm, rows, onset, links, points, inward)
    return likely_places(
        points, links, weight / weight.sum(), patchwise=not giving and generator is None
    )


def _looks(
    rows: np.ndarray, onset: float, model: Arm, resolution: np.ndarray | float, count: int
) -> list[isolation.Measurement]:
    """What is felt by so many times after the onset, evenly over the rows, the last of which is the last row.

    It is that of the last row; with gears that give, of the whole touch until then.
    """
    first = min(int(np.searchsorted(rows[:, 0], onset)) + 1, len(rows))
    ends = np.unique(np.linspace(first, len(rows), count + 1).round().astype(int)[1:])
    if gives(model):
        return [_felt_through_gears(rows[:end], onset, model, resolution) for end in ends]
    return [(angles_in(rows[end - 1]), *_felt(rows[:end], onset, model)) for end in ends]


def _fit_mixture(
    arm: Arm,
    surface: isolation.ArmSurface,
    q: np.ndarray,
    change: np.ndarray,
    noise: np.ndarray,
    free: np.ndarray,
) -> np.ndarray:
    """As ``fit_surface``, of smooth and of rough surfaces: each patch as the likelier of both fits has it."""
    smooth, rough = (
        isolation.fit_surface(arm, surface, q, change, noise, friction=friction, free=free)
        for friction in (0.0, numbers.ROUGH_FRICTION)
    )
    log = isolation.LOG_EVIDENCE
    likely = (
        smooth[:, log] + np.log1p(-numbers.ROUGH_SHARE),
        rough[:, log] + np.log(numbers.ROUGH_SHARE),
    )
    both = np.where((likely[1] > likely[0])[:, None], rough, smooth)
    both[:, log] = np.logaddexp(*likely)
    return both


def _free(rows: np.ndarray, onset: float) -> np.ndarray:
    """The rows of free motion before a touch that are looked at."""
    period = float(np.median(np.diff(rows[:, 0]))) if len(rows) > 1 else 0.0
    return free_rows(rows, onset, max(numbers.FREE_TIME, (numbers.FREE_ROWS + 1) * period))


def _felt(rows: np.ndarray, onset: float, model: Arm) -> tuple[np.ndarray, np.ndarray]:
    """(n,) torque in the last row, with half of what ideal joints hide, and its noise."""
    torque, free = torques_in(rows[-1]), _free(rows, onset)
    n = len(torque)
    offset, noise, speed = np.zeros(n), np.full(n, numbers.NOISE_FLOOR), np.zeros(n)
    if len(free) >= numbers.FREE_ROWS:
        offset = torques_in(free).mean(axis=0)
        noise = noise + torques_in(free).std(axis=0)
        path = free[-1] - free[0]
        speed = angles_in(path) / path[0]
    change = torque - offset
    noise = (
        noise
        + numbers.OFFSET_SHARE * np.abs(offset)
        + numbers.NOISE_SHARE * float(np.linalg.norm(change))
    )
    largest = np.abs(model.friction[:, [0, 2]]).max(axis=1) * np.isinf(model.presliding)
    hidden = 0.5 * largest * (np.abs(speed) < numbers.STANDING_SPEED)
    return change + hidden * change / (np.abs(change) + numbers.UNSIGNED_TORQUE), np.hypot(
        noise, hidden
    )


def _felt_through_gears(
    rows: np.ndarray, onset: float, model: Arm, resolution: np.ndarray | float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n,) each: joint angles, torque and its noise over the touch, every row as heavy as what is felt in it.

    A soft touch so counts from where it is felt, and a hard one from its beginning.
    """
    free = _free(rows, onset)
    free = free if len(free) else rows[:1]
    change = torques_in(rows) - torques_in(free).mean(axis=0)
    weight = np.linalg.norm(change, axis=1) * (rows[:, 0] >= onset)
    weight = (
        weight / weight.sum() if weight.any() else 1.0 * (np.arange(len(rows)) == len(rows) - 1)
    )
    torque, before = weight @ change, np.isin(rows[:, 0], free[:, 0])
    softer, stiffer = (
        presliding_torque(model._replace(presliding=factor * model.presliding), angles_in(rows))
        for factor in (1.0 / numbers.GEARS_OFF, numbers.GEARS_OFF)
    )
    doubt = weight @ (stiffer - softer) - (stiffer - softer)[before].mean(axis=0)
    white = numbers.GEAR_WHITE * torques_in(free).std(axis=0)
    unseen = _UNSEEN * np.minimum(model.presliding * resolution, model.friction[:, 0])
    floor, doubt = np.full(len(torque), numbers.GEAR_FLOOR), numbers.GEAR_DOUBT * doubt
    parts = [floor, white, doubt, unseen, numbers.NOISE_SHARE * torque]
    return weight @ angles_in(rows), torque, np.linalg.norm(parts, axis=0)


def _thinned(q: np.ndarray) -> np.ndarray:
    """The latest of the joint angles (m, n), some distance apart."""
    kept: list[np.ndarray] = []
    for row in q[::-1]:
        if not kept or np.abs(row - kept[-1]).sum() > numbers.FREE_APART:
            kept.append(row)
        if len(kept) == numbers.FREE_POSES:
            break
    return np.array(kept[::-1]).reshape(-1, q.shape[1])


def _outwards(
    arm: Arm,
    rows: np.ndarray,
    onset: float,
    links: np.ndarray,
    points: np.ndarray,
    inward: np.ndarray,
) -> np.ndarray:
    """Of each patch (k,): its speed outwards when contact began, beside the fastest."""
    velocity = motion_at(rows, onset)
    if velocity is None:
        return np.ones(len(points))
    last = min(max(int(np.searchsorted(rows[:, 0], onset)), 1), len(rows) - 1)
    q = np.tile(angles_in(rows[last]), (len(points), 1))
    speed = isolation.push_torque(arm, q, links, points, -inward) @ velocity
    return (
        np.maximum(speed / speed.max(), numbers.INWARDS)
        if speed.max() > 0.0
        else np.ones(len(points))
    )


def motion_at(rows: np.ndarray, onset: float) -> np.ndarray | None:
    """(n,) joint velocities when contact began at a time [s]; None where too little is remembered [rad/s]."""
    last = max(int(np.searchsorted(rows[:, 0], onset)), 1)
    first, last = max(last - 10, 0), min(last, len(rows) - 1)
    if last <= first:
        return None
    path = rows[last] - rows[first]
    return np.asarray(angles_in(path) / path[0])


def likely_places(
    points: np.ndarray, links: np.ndarray, weight: np.ndarray, patchwise: bool = False
) -> ContactHypotheses:
    """Balls of patches, the heaviest first; each on its heaviest link, or on that of its heaviest patch."""
    left, places = weight.copy(), list[tuple[np.ndarray, int, float]]()
    while len(places) < numbers.MOST_PLACES:
        near = np.linalg.norm(points[:, None] - points[None], axis=2) <= numbers.ONE_PLACE
        mass = near @ left
        best = int(mass.argmax())
        if mass[best] < numbers.LEAST_PLACE:
            break
        own = near[best] & (left > 0.0)
        share = left[own] / left[own].sum()
        link = (
            links[own][int(share.argmax())]
            if patchwise
            else int(np.bincount(links[own], share).argmax())
        )
        places.append((share @ points[own], link, mass[best]))
        left[own] = 0.0
    if not places:
        return NOWHERE
    return ContactHypotheses(*map(np.array, zip(*places, strict=True)))
