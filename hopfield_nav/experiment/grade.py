"""What an outcome ``no_path`` rests on, and whether many touches were felt in free air.

What the arm itself knows speaks against touches where it drove freely, before or afterwards, and against
facts that cannot all be true; a real arm can tell as much. The truth of the simulation tells the rest: a
collision with nothing touched in the 50 ms before is a false alarm. Neither is asked while the arm moves.
"""

from collections.abc import Sequence

from hopfield_nav.navigation import Navigator
from hopfield_nav.record import DetectionRecord

DOUBTFUL_SHARE = 1 / 3  # share of the collisions from which on they are many
MIN_DOUBTFUL = 5  # and their least number
_REMEDY = (
    "try a higher detection.threshold (`hopfield-nav tune` finds one), or a controller.model nearer to the "
    "plant"
)


def why_doubtful(navigator: Navigator, detections: Sequence[DetectionRecord]) -> str:
    """What speaks against the touches on which an outcome ``no_path`` rests; empty where nothing does."""
    count, false = _collisions(detections)
    found = [navigator.why_doubtful()]
    if are_many(navigator.in_free_air(), count):
        found.append(f"{navigator.in_free_air()} of {count} collisions where the arm drove freely")
    if false:
        found.append(f"{false} of {count} collisions were false alarms")
    return ", ".join(part for part in found if part)


def no_path_grade(
    outcome: str | None, navigator: Navigator, detections: Sequence[DetectionRecord]
) -> str | None:
    """One of ``GRADES`` for the outcome ``no_path``; None for every other one."""
    if outcome != "no_path":
        return None
    if why_doubtful(navigator, detections):
        return "doubtful"
    return "probable" if navigator.motion.error_bound > 0.0 else "facts"


def warn_of_free_air(navigator: Navigator, detections: Sequence[DetectionRecord]) -> list[str]:
    """Whether many collisions were felt in free air; one sentence, or none."""
    count, false = _collisions(detections)
    if are_many(false, count):
        return [f"{false} of {count} collisions were false alarms: {_REMEDY}"]
    driven = navigator.in_free_air()
    if are_many(driven, count):
        return [f"{driven} of {count} collisions were felt where the arm drove freely: {_REMEDY}"]
    return []


def are_many(part: int, count: int) -> bool:
    """Whether so many of so many collisions are too many to be chance."""
    return part >= MIN_DOUBTFUL and part > DOUBTFUL_SHARE * count


def _collisions(detections: Sequence[DetectionRecord]) -> tuple[int, int]:
    """How many there are, and how many of them touched nothing."""
    collisions = [d for d in detections if not d.passed_by]
    return len(collisions), sum(d.false_alarm for d in collisions)
