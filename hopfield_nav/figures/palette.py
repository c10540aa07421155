"""Colours with fixed meanings, for pictures, films and the page in a browser alike."""

from typing import NamedTuple


class Palette(NamedTuple):
    """Colours by meaning; the seven that carry one differ for colour-blind readers too."""

    # what the arm believes: felt cells, estimated force, detections
    felt: str = "#0072B2"
    # the path that the network found, and references
    planned: str = "#CC79A7"
    # where the tool and the joints went
    travelled: str = "#E69F00"
    # simulated truth that the arm cannot know: contact force, touch
    true: str = "#303030"
    # start, goal: of the tool
    start: str = "#009E73"
    goal: str = "#D55E00"
    # a missed contact
    missed: str = "#F0E442"
    # the true obstacles
    obstacle: str = "#B9B9B9"
    # cells that no plan may use although nothing was felt there (rim, known obstacles, out of the
    # arm's reach), and other quiet grey
    excluded: str = "#6E6E6E"
    # grid, ink: thin lines, and text
    grid: str = "#D4D4D4"
    ink: str = "#222222"
    # tube, housing, cap: the arm
    tube: str = "#D3DAE2"
    housing: str = "#8494A6"
    cap: str = "#5B6B7E"


COLOURS = Palette()
