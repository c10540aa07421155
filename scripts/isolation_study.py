"""Where is the arm touched? What joint torques alone can tell, measured on random contacts.

    python scripts/isolation_study.py --pushes 2500 --collisions 60 --out docs/isolation.md [--figures FOLDER]

Pushes at rest on two arms, each with a perfect model and with an imperfect one; collisions in motion from one
instant, with the swept space, and from the instants until the peak. Prints the confusion matrices too, and
draws one of them beside the set of one push.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from isolation import collisions, pictures
from isolation.pushes import Pushes, counted, felt, isolate_pushes, random_pushes
from isolation.scores import Scores, covered, lines, right, score, text
from measured_part import table, tell

from dynamics import load_arm
from hopfield_nav.isolation import default_surface
from hopfield_nav.sweeps import share

ARMS = {"ur5_ragazzon2012": "masses off", "ur5_full": "masses and friction off"}  # what is imperfect
MOTIONS = {  # model: world, and from what its collisions are isolated
    "perfect": (collisions.PERFECT, ("alone", "swept", "rising")),
    "imperfect": (collisions.IMPERFECT, ("alone", "swept")),
}
KINDS = {"alone": "first instant", "swept": "and swept space", "rising": "and until the peak"}
ALL, WRIST = range(2, 7), (5, 6)  # links


def main() -> None:
    """Measure, print, draw."""
    options = _options()
    rows, unfelt = [], []
    for name, wrong in ARMS.items():
        arm = load_arm(name)
        pushes = random_pushes(arm, options.pushes, seed=7)
        unfelt.append([f"`{name}`", *undetectable(pushes)])
        for perfect in (True, False):
            scores, found = isolate_pushes(arm, pushes, perfect)
            label = f"`{name}`, {'perfect' if perfect else wrong}"
            print(*lines(label, scores), sep="\n", flush=True)
            rows.append(row_of_pushes(label, scores, perfect))
            if perfect and options.figures:
                chosen = _example(pushes, found)
                at = counted(pushes)[chosen]
                pictures.draw(arm, scores, pushes, at, found[chosen], options.figures, f"isolation_{name}")
    head = ["arm, model", "true link in set", "best right, links 2–6", "links 5, 6", "links in set"]
    tell(table(head, rows), options.out, "pushes")
    tell(table(["arm", "no joint feels", "of those on link 1"], unfelt), options.out, "unfelt")
    if options.collisions:
        head = ["model, what counts", "true link in set", "best right, links 2–6", "links in set"]
        rows = [row for model in MOTIONS for row in in_motion(model, options.collisions)]
        tell(table(head, rows), options.out, "collisions")


def row_of_pushes(label: str, scores: Scores, with_count: bool) -> list[str]:
    """Shares of an arm's pushes; their number stands in the first of its rows."""
    shares = [
        text(covered(scores), with_count),
        text(right(scores, ALL), False),
        text(right(scores, WRIST), False),
    ]
    return [label, *shares, f"{scores.set_size.mean():.2f}"]


def undetectable(pushes: Pushes) -> list[str]:
    """How many pushes put less than the threshold on every joint, in all and of those on link 1."""
    unfelt = ~felt(pushes)
    value = share(int(unfelt.sum()), len(unfelt))
    whole = text((value.estimate, value.low, value.high, len(unfelt)))
    return [whole, f"{100 * unfelt[pushes.link == 1].mean():.0f} %"]


def in_motion(model: str, count: int) -> list[list[str]]:
    """Rows of random collisions: one instant alone, with swept space, narrowed over time."""
    world, kinds = MOTIONS[model]
    left = collisions.free_covariance(world) if world is collisions.IMPERFECT else None
    drawn = [collisions.collide(world, collisions.SEED + k, left) for k in range(count)]
    found = [c for c in drawn if c is not None]
    arm = load_arm("ur5_full" if "ur5_full" in world else "ur5_ragazzon2012")
    area = default_surface(arm).patches[:, 5]
    print(f"{model}: {len(found)} collisions, {sum(not c.single for c in found)} with two bodies touching")
    rows = []
    for kind in kinds:
        results = [getattr(c, kind) for c in found]
        scores = score([c.link for c in found], [c.point for c in found], results, area)
        print(*lines(f"   {kind}", scores), sep="\n", flush=True)
        rows.append(row_of_collisions(f"{model}, {KINDS[kind]}", scores, kind == kinds[0]))
    return rows


def row_of_collisions(label: str, scores: Scores, with_count: bool) -> list[str]:
    """Shares of a model's collisions; their number stands in the first of its rows."""
    shares = [text(covered(scores), with_count), text(right(scores, ALL), with_count)]
    return [label, *shares, f"{scores.set_size.mean():.2f}"]


def _example(pushes: Pushes, found: list) -> int:
    """A push on link 3 whose set has several links and whose arm is stretched out enough to be seen."""
    rows = counted(pushes)
    for k, i in enumerate(rows):
        several = len(found[k].links) >= 2 and found[k].best_link == pushes.link[i] == 3
        reach = np.linalg.norm(pushes.point[i][:2])
        if several and reach > 0.3 and pushes.point[i][2] > 0.25 and len(found[k].patches) >= 5:
            return k
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--pushes", type=int, default=2500, help="of each arm")
    parser.add_argument("--collisions", type=int, default=60, help="tried of each model; 0: none")
    parser.add_argument("--out", type=Path, help="page to write to; default: print only")
    parser.add_argument("--figures", type=Path, help="folder to draw in")
    return parser.parse_args()


if __name__ == "__main__":
    main()
