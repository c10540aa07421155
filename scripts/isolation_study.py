"""Where is the arm touched? What joint torques alone can tell, measured on random contacts.

    python scripts/isolation_study.py [--pushes 2000] [--collisions 150] [--out FOLDER]

prints, for two arms, with a perfect model and an imperfect one: the confusion matrix, the share of true
links in the set, the right guesses, the size of the set, and the share of pushes that no joint feels;
then the same for collisions in motion, from one instant, with the swept space, and over 50 ms. It
draws the confusion matrix and the set of one push.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from isolation import collisions, pictures
from isolation.pushes import Pushes, counted, felt, isolate_pushes, random_pushes
from isolation.scores import Scores, lines, score, text

from dynamics import Arm, load_arm
from hopfield_nav.isolation import default_surface
from hopfield_nav.sweeps import share

ARMS = ("ur5_ragazzon2012", "ur5_full")
WORLDS = {
    "ur5_ragazzon2012, perfect model": collisions.PERFECT,
    "ur5_full, perfect model, no friction": collisions.FULL,
    "ur5_full, imperfect": collisions.IMPERFECT,
}


def main() -> None:
    """Measure, print, draw."""
    options = _options()
    for name in ARMS:
        arm = load_arm(name)
        pushes = random_pushes(arm, options.pushes, seed=7)
        print(undetectable(name, pushes))
        for perfect in (True, False):
            scores, found = isolate_pushes(arm, pushes, perfect)
            what = "perfect model" if perfect else "imperfect model"
            print(*lines(f"{name}, pushes at rest, {what}", scores), sep="\n")
            if perfect:
                chosen = _example(pushes, found)
                row = counted(pushes)[chosen]
                for path in pictures.draw(
                    arm, scores, pushes, row, found[chosen], options.out, f"isolation_{name}"
                ):
                    print(path)
    for name, world in WORLDS.items() if options.collisions else ():
        print(*in_motion(name, world, options.collisions), sep="\n")


def undetectable(name: str, pushes: Pushes) -> str:
    """How many pushes put less than the threshold on every joint, in all and by link."""
    unfelt = ~felt(pushes)
    value = share(int(unfelt.sum()), len(unfelt))
    by_link = ", ".join(f"{100 * unfelt[pushes.link == k].mean():.1f}" for k in range(1, 7))
    whole = text((value.estimate, value.low, value.high, len(unfelt)))
    return f"{name}: pushes of 5 to 150 N that no joint feels: {whole}; on links 1 to 6: {by_link} %"


def in_motion(name: str, world: str, count: int) -> list[str]:
    """Scores of random collisions: one instant alone, with swept space, narrowed over time."""
    left = collisions.free_covariance(world) if world is collisions.IMPERFECT else None
    drawn = [collisions.collide(world, collisions.SEED + k, left) for k in range(count)]
    found = [c for c in drawn if c is not None]
    area = default_surface(_arm(world)).patches[:, 5]
    out = [f"{name}: {len(found)} collisions, {sum(not c.single for c in found)} with two bodies touching"]
    for kind in ("alone", "swept", "rising", "narrowed"):
        results = [getattr(c, kind) for c in found]
        scores: Scores = score([c.link for c in found], [c.point for c in found], results, area)
        out += lines(f"   {kind}", scores)
    return out


def _arm(world: str) -> Arm:
    return load_arm("ur5_full" if "ur5_full" in world else "ur5_ragazzon2012")


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
    parser.add_argument("--pushes", type=int, default=2000)
    parser.add_argument("--collisions", type=int, default=150)
    parser.add_argument("--out", type=Path, default=Path("runs/isolation_study"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
