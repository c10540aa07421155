"""Where is the arm touched? Random pushes and collisions, isolated, for the suite ``isolation``."""

import json
from functools import cache, partial

import numpy as np
from isolation_collisions import IMPERFECT, PERFECT, collide, free_covariance
from isolation_pushes import Pushes, felt, isolate_pushes, place_pushes, random_pushes
from isolation_scores import counts, score

from dynamics import load_arm
from hopfield_nav.plugin import Measures

COUNT, DRAW, PARTS = 2500, 7, 60  # pushes of an arm, seed, rows that they are told in
PLACED = 4  # of the counted pushes every so manieth is placed by patches and by particles
KINDS = ("alone", "swept")
COLUMNS = {
    "counts_of": "",
    "placed": "",
    "drawn": "1",
    "unfelt": "1",
    "drawn_1": "1",
    "unfelt_1": "1",
}
MEASURES = Measures(lambda run: {name: run.summary.get(name) for name in COLUMNS}, COLUMNS)
pushes_of = cache(lambda name: random_pushes(load_arm(name), COUNT, DRAW))


def _row(**found) -> dict:
    return {"outcome": "reached", "simulated_time_s": 0.0, **found}


def _is_perfect(world) -> bool:
    return world.controller.model_error.mass_scale == 1.0


def pushes(world, seed: int) -> dict:
    """A part of the random pushes of an arm, and how many of it no joint feels, in all and on link 1."""
    arm, part = load_arm(str(world.arm)), (seed % PARTS, PARTS)
    drawn: Pushes = pushes_of(str(world.arm))
    scores, _ = isolate_pushes(arm, drawn, _is_perfect(world), part=part)
    placed = place_pushes(arm, drawn, _is_perfect(world), part=part, every=PLACED)
    rows = np.array_split(np.arange(COUNT), PARTS)[part[0]]
    quiet, first = ~felt(drawn)[rows], drawn.link[rows] == 1
    return _row(
        counts_of=json.dumps({"push": counts(scores)}), placed=json.dumps(placed), drawn=len(rows),
        unfelt=int(quiet.sum()), drawn_1=int(first.sum()), unfelt_1=int((quiet & first).sum()),
    )  # fmt: skip


left_of_free_motion = cache(free_covariance)


def collision(world, seed: int) -> dict:
    """A random collision, isolated from the first instant, and with the swept space."""
    text = PERFECT if _is_perfect(world) else IMPERFECT
    found = collide(text, seed, None if text == PERFECT else left_of_free_motion(text))
    if found is None:
        return _row(counts=0)
    told = {kind: counts(score([found.link], [getattr(found, kind)])) for kind in KINDS}
    return _row(counts_of=json.dumps(told))


PUSHES, COLLISION = partial(pushes), partial(collision)
