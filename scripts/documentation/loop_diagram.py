"""The loop as a block diagram, for README and the first page of the site, where each block is a link to its page.

    python scripts/documentation/loop_diagram.py

draws docs/figures/loop.png, and writes the links over it into docs/index.md and where they lie into
docs/assets/wide.css, between two marks each.
"""

import re
from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE, new_figure, paper_style
from hopfield_nav.figures.style import DPI

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "figures" / "loop.png"
INDEX = ROOT / "docs" / "index.md"
HEIGHT = 4.6 * CENTIMETRE
WIDE, TALL = 0.148, 0.3  # of a block, as shares of the picture
ROWS = {"upper": 0.68, "lower": 0.2}  # their lower edges
STYLE = ROOT / "docs" / "assets" / "wide.css"
_STYLE_MARKS = re.compile(r"/\* loop \*/\n.*?/\* end of loop \*/", re.DOTALL)
_MARKS = re.compile(r"<!-- loop -->\n.*?<!-- /loop -->", re.DOTALL)


class Block(NamedTuple):
    """A part of the loop."""

    name: str
    words: str  # what it gives to the next one
    page: str  # that explains it, below docs
    left: float  # its left edge, a share of the width
    row: str
    colour: str


BLOCKS = (
    Block("sense", "q, q̇", "detection.md", 0.015, "upper", COLOURS.true),
    Block("estimate", "force", "detection.md#estimators", 0.225, "upper", COLOURS.felt),
    Block("detect", "alarm", "detection.md#detectors", 0.435, "upper", COLOURS.felt),
    Block("map", "cells", "navigation.md", 0.645, "upper", COLOURS.felt),
    Block("network", "path", "network.md", 0.837, "upper", COLOURS.planned),
    Block("inverse kinematics", "joints", "lab/kinematics.md", 0.837, "lower", COLOURS.planned),
    Block("spline", "reference", "navigation.md", 0.57, "lower", COLOURS.planned),
    Block("law", "torque", "lab/dynamics.md", 0.293, "lower", COLOURS.travelled),
    Block("arm", "", "arm_files.md", 0.015, "lower", COLOURS.travelled),
)


def draw() -> None:
    """Draw the picture."""
    with paper_style():
        figure = new_figure(PAGE, HEIGHT)
        figure.set_layout_engine("none")
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
        ax.set_axis_off()
        for block in BLOCKS:
            add_block(ax, block)
        for block, following in zip(BLOCKS, (*BLOCKS[1:], BLOCKS[0]), strict=True):
            add_arrow(ax, block, following)
        low = ROWS["lower"] - 0.1
        ax.text(0.015, low, "touches what it cannot see", ha="left", va="center",
                fontsize="small", color=COLOURS.true)  # fmt: skip
        figure.savefig(PICTURE, dpi=DPI)


def add_block(ax: Axes, block: Block) -> None:
    """The box of a block with its name."""
    low = ROWS[block.row]
    how = {"boxstyle": "round,pad=0,rounding_size=0.02", "mutation_aspect": 3.0}
    ax.add_patch(
        FancyBboxPatch((block.left, low), WIDE, TALL, fc="white", ec=block.colour, lw=1.4, **how)
    )
    name = block.name.replace(" ", "\n")
    ax.text(block.left + WIDE / 2, low + TALL / 2, name, ha="center", va="center", weight="bold")


def add_arrow(ax: Axes, block: Block, following: Block) -> None:
    """An arrow to the next block, with what it is given."""
    middle = [(one.left + WIDE / 2, ROWS[one.row] + TALL / 2) for one in (block, following)]
    (x0, y0), (x1, y1) = middle
    along = block.row == following.row
    side = 1.0 if x1 > x0 else -1.0
    if along:
        ends = (x0 + side * WIDE / 2, y0), (x1 - side * WIDE / 2, y1)
        place, how = ((ends[0][0] + ends[1][0]) / 2, y0 + 0.07), {"ha": "center"}
    else:
        rise = 1.0 if y1 > y0 else -1.0
        ends = (x0, y0 + rise * TALL / 2), (x1, y1 - rise * TALL / 2)
        place = (x0 + 0.008, (ends[0][1] + ends[1][1]) / 2)
        how = {"ha": "left", "va": "center"}
    arrow = FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=9, shrinkA=1, shrinkB=1, lw=1.2,
                            color=COLOURS.ink)  # fmt: skip
    ax.add_patch(arrow)
    ax.text(*place, block.words or "motion", fontsize="small", color=COLOURS.ink, **how)


def links() -> str:
    """The picture with a link over every block, in Markdown; ``style`` says where they lie."""
    words = ", ".join(block.name for block in BLOCKS)
    lines = [f"![The loop: {words}](figures/loop.png)"]
    lines += [f"[{block.name}]({block.page}){{ .loop-{k} }}" for k, block in enumerate(BLOCKS)]
    inside = "\n".join(lines)
    return f'<!-- loop -->\n<div class="loop" markdown>\n\n{inside}\n\n</div>\n<!-- /loop -->'


def style() -> str:
    """Where the links lie over the picture, in the language of style sheets."""
    lines = [
        f".md-typeset .loop-{k} {{ left: {100 * block.left:.1f}%; top: {100 * (1.0 - ROWS[block.row] - TALL):.1f}%; "
        f"width: {100 * WIDE:.1f}%; height: {100 * TALL:.1f}%; }}"
        for k, block in enumerate(BLOCKS)
    ]
    return "\n".join(["/* loop */", *lines, "/* end of loop */"])


if __name__ == "__main__":
    draw()
    for path, marks, made in ((INDEX, _MARKS, links()), (STYLE, _STYLE_MARKS, style())):
        text = path.read_text(encoding="utf-8")
        path.write_text(marks.sub(lambda _, made=made: made, text), encoding="utf-8")
