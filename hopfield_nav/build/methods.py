"""The three methods of control that a world names."""

from typing import NamedTuple

from hopfield_nav.plugin import Method
from hopfield_nav.world import World


class Methods(NamedTuple):
    """The three methods that the world chose."""

    law: Method
    estimator: Method
    detector: Method


def find_methods(world: World) -> Methods:
    """The control law, estimator and detector of a world.

    Raises ``BadInput``: one is a Python file that may not be executed.
    """
    find = world.trust.find
    folder = world.folder
    return Methods(
        law=find("controller", world.controller.law, folder),
        estimator=find("estimator", world.detection.estimator, folder),
        detector=find("detector", world.detection.measure, folder),
    )
