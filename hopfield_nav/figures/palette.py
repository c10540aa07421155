"""Colours with fixed meanings, for pictures, films and the page in a browser alike."""

from typing import NamedTuple


class Palette(NamedTuple):
    """Colours by meaning; the seven that carry one differ for colour-blind readers too.

    Attributes:
        felt: what the arm believes: felt cells, estimated force, detections.
        planned: the path that the network found, and references.
        travelled: where the tool and the joints went.
        true: simulated truth that the arm cannot know: contact force, touch.
        start, goal: of the tool.
        missed: a contact that was not registered.
        obstacle: the true obstacles.
        excluded: cells that no plan may use although nothing was felt there (rim, known obstacles, out of
            the arm's reach), and other quiet grey.
        grid, ink: thin lines, and text.
        tube, housing, cap: the arm.
    """

    felt: str = "#0072B2"
    planned: str = "#CC79A7"
    travelled: str = "#E69F00"
    true: str = "#303030"
    start: str = "#009E73"
    goal: str = "#D55E00"
    missed: str = "#F0E442"
    obstacle: str = "#B9B9B9"
    excluded: str = "#6E6E6E"
    grid: str = "#D4D4D4"
    ink: str = "#222222"
    tube: str = "#D3DAE2"
    housing: str = "#8494A6"
    cap: str = "#5B6B7E"


COLOURS = Palette()
MEANINGS = ("felt", "planned", "travelled", "true", "start", "goal", "missed")
