"""What touches block on a map of joint angles: the strategies of a world, one a file, and how each is asked.

Each is a ``plugin.Belief``: it is asked before every path, and what it answers is what the search
goes by. What a strategy of the user answers is checked.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hopfield_nav.extensions.whole_arm.learning import CollisionBelief
from hopfield_nav.plugin import (
    Belief,
    CollisionEvidence,
    ContactReport,
    MethodFailed,
    Own,
    is_ours,
    read_only,
)
from hopfield_nav.world import World


@dataclass(frozen=True, eq=False)
class ArmReport(ContactReport):
    """What was felt, and where the built-in strategies keep what they make of it."""

    collisions: CollisionBelief


def belief_for(world: World) -> Belief:
    """The strategy of a world."""
    section = world.planner
    method = world.trust.find("belief", section.strategy, world.folder)
    if not is_ours("belief", section.strategy):
        return _OwnBelief(method, section.parameters)
    belief: Belief = method.kernel()
    return belief


class _OwnBelief(Own):
    """Asks a strategy of the user."""

    def believe(self, felt: ContactReport) -> CollisionEvidence | None:
        """What it answers, checked.

        Raises ``MethodFailed``: it raises, or answers no grid of the map with numbers of at least
        0.
        """
        arrays = {name: read_only(getattr(felt, name)) for name in ("points", "weights", "touches")}
        shown = ContactReport(believed=felt.believed.read_only(), near=felt.near, **arrays)
        evidence: CollisionEvidence | None = self.ask(
            "believe", shown, partial(_checked, felt.believed.blocked.shape)
        )
        return evidence


def _checked(shape: tuple[int, ...], answer: Any) -> CollisionEvidence | None:
    if answer is None:
        return None
    if not isinstance(answer, CollisionEvidence):
        raise MethodFailed(f"it answers {type(answer).__name__}, not CollisionEvidence or None")
    at_last = None if answer.at_last is None else _grid(answer.at_last, shape)
    return answer._replace(cells=_grid(answer.cells, shape), at_last=at_last)


def _grid(answer: Any, shape: tuple[int, ...]) -> np.ndarray:
    cells = np.asarray(answer)
    if cells.dtype.kind not in "biuf" or cells.shape != shape:
        raise MethodFailed(
            f"it answers {cells.dtype} of shape {cells.shape}, not numbers of shape {shape}"
        )
    if not cells.min(initial=0.0) >= 0.0:
        raise MethodFailed("it answers numbers below 0, or none")
    return np.ascontiguousarray(cells, dtype=np.float32)
