"""Random motions in random scenes, those of the suite ``whole_arm``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as counted
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from hopfield_nav.plugin import load_from_file

_BENCHES = Path(__file__).resolve().parents[2] / "worlds" / "benches"
FAMILIES, FLOOR, draw_text, world_text, is_into, _worth_running, Watched = (
    load_from_file("setup", f"whole_arm.py:{name}", _BENCHES)
    for name in ("FAMILIES", "FLOOR", "draw_text", "world_text", "is_into", "worth_running", "Watched")
)
WRONG = """\
plant: {dynamics: ur5_full, friction: arm, presliding: ideal}
controller: {model: ur5_full, model_error: {mass_scale: 1.1, friction_scale: 0.8}}
sensors: {encoder_resolution: 1.0e-5, velocity_noise: 1.0e-3}
"""
_GEARS = """\
plant: {dynamics: ur5_full, friction: arm, presliding: %s, torque_ripple: {amplitude: [0, 0.7, 0.7, 0, 0, 0]}}
controller: {%smodel: ur5_full, model_error: {mass_scale: %s, friction_scale: %s, presliding_scale: %s}}
sensors: {encoder_resolution: 1.0e-5, velocity_noise: 1.0e-3, torque_noise: [1, 1, 1, 0.2, 0.2, 0.2]}
"""


class Drawn(NamedTuple):
    """A world that is worth a run.

    Attributes:
        family, seed: what it was drawn from.
        text: of the world file.
        bound: joint path of the omniscient strategy [rad].
    """

    family: str
    seed: int
    text: str
    bound: float


def gears(stiffness: str, known: bool, controller: str = "", contact: str = "") -> str:
    """What a world file says of an arm whose gears give [N·m/rad], of its controller and of surfaces.

    What is not ``known`` is off: masses by 10 %, friction by 20 % and stiffness by a factor of 2.
    """
    return _GEARS % (stiffness, controller, *((1, 1, 1) if known else (1.1, 0.8, 2))) + contact


def worlds(family: str, count: int, first: int) -> Iterator[Drawn]:
    """The first ``count`` worlds of a family that are worth a run, from a seed on."""
    drawn = ((seed, _worth_running(family, seed)) for seed in counted(first))
    return islice((Drawn(family, seed, *found) for seed, found in drawn if found is not None), count)
