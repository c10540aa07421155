"""What may take the place of going back and on after a touch: a response to touches of the tool."""

from typing import TYPE_CHECKING, Any

from hopfield_nav.navigation.map import Cell, ToolMap
from hopfield_nav.navigation.motion import Means, PlannedMotion, Reference
from hopfield_nav.navigation.responses.touch import ToolTouch
from hopfield_nav.world import World

if TYPE_CHECKING:
    from dynamics import Arm
    from hopfield_nav.control import Controller


class Response:
    """Nothing takes its place: ``explore: replan``, and the base of every other response.

    What it answers follows in the place of what ``navigation.answer`` says; None: that stays. The
    touch has been learnt before, and ``motion`` is the one that the arm makes until now.
    """

    def after_touch(
        self, start: Cell, touch: ToolTouch, motion: PlannedMotion, map: ToolMap, means: Means
    ) -> PlannedMotion | None:
        """The motion after a touch.

        It takes the place of back to the cell ``start`` and on from there.
        """
        return None

    def after_rest(
        self, begin: Reference, motion: PlannedMotion, map: ToolMap, means: Means
    ) -> PlannedMotion | None:
        """The motion at the end of one that ``needs_decision``.

        It takes the place of on from its start.
        """
        return None

    def after_passage(self, until: int, motion: PlannedMotion) -> None:
        """The segments of ``motion`` before number ``until`` were driven without a touch."""
        return

    def past_touch(
        self, end: Cell, touch: ToolTouch, motion: PlannedMotion, map: ToolMap, means: Means
    ) -> PlannedMotion | None:
        """The motion past a touch, over the cell at the ``end`` of the segment under way."""
        return None

    def phase(
        self, world: World, arm: "Arm", controller: "Controller", map: ToolMap, means: Means
    ) -> Any:
        """What it lets the arm do before it follows a path again.

        An ``experiment.Phase``, or None.
        """
        return None
