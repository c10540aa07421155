"""Chapter 4 with the numeric step (2.3): why the arm stops, beside the closed form on the same pairs."""

from collections import Counter

from keeping import kept
from ledger import Rows, judged
from reproduction import percent

from hopfield_nav.sweeps import share
from nowoczyn2023.cause_of_stops import PAIRS, cases, cell
from nowoczyn2023.single_branch import (
    ARRIVED,
    JUMP,
    LIMIT,
    OFF,
    OUT_OF_REACH,
    TOUCHED,
    follow_numeric_branch,
)

ORIENTATIONS = {
    "rotation_vector": "with the rotation vector",
    "euler": "with Euler angles as printed",
}


def end(case_number: int, orientation: str) -> str:
    """What becomes of a pair of ``cause_of_stops``."""
    case = cases()[case_number]
    return follow_numeric_branch(*cell(), case.start, case.goal, orientation).outcome


@kept("test_cause_of_stops.py::test_numeric_pairs_end_as_kept")
def ends(orientation: str) -> list[str]:
    """``end`` of every pair."""
    return [end(k, orientation) for k in range(PAIRS)]


def rows() -> Rows:
    closed = [case.outcome for case in cases()]
    text = []
    for orientation, words in ORIENTATIONS.items():
        found = ends(orientation)
        stops = [k for k, outcome in enumerate(found) if outcome != ARRIVED]
        impossible = share(sum(not cases()[k].from_any for k in stops), len(stops))
        count = Counter(found[k] for k in stops)
        kinds = ", ".join(
            f"{kind} {count[kind]}" for kind in (TOUCHED, JUMP, LIMIT, OFF) if count[kind]
        )
        text.append(
            f"{words} {percent(share(len(stops), len(found)))} of {len(found)} pairs stop ({kinds});"
            f" {percent(impossible)} of these stops: no joints lead along the line"
        )
    same = share(
        sum(a == b for a, b in zip(ends("rotation_vector"), closed, strict=True)), len(closed)
    )
    stuck = {kind for kind in closed if kind not in (ARRIVED, OUT_OF_REACH)}
    ours = f"{'; '.join(text)}. The closed form ends {percent(same)} of the pairs in the same way"
    yield judged(
        "nowoczyn2023.cause_with_the_numeric_step", ours, same.estimate > 0.9 and TOUCHED in stuck
    )
