"""The arms of the five documents with their frames, the joints' axes and the sense in which they turn.

    python scripts/documentation/frames.py

draws docs/figures/frames.png. All five give Denavit-Hartenberg rows.
"""

from pathlib import Path

from dynamics import load_arm
from hopfield_nav.figures import CENTIMETRE, PAGE, new_figure, paper_style
from hopfield_nav.figures.solid import add_frames, default_pose, frames_handles
from hopfield_nav.figures.style import DPI

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "figures" / "frames.png"
ARMS = {
    "Ragazzon 2012": "ur5_ragazzon2012",
    "Kebria 2016": "ur5_kebria2016",
    "Madsen 2020": "ur5e",
    "Nowoczyn 2023": "ur5_tu2023",
    "Tu 2023": "ur5_tu2023",
}


def draw() -> None:
    """Draw the picture."""
    with paper_style():
        figure = new_figure(PAGE, 14 * CENTIMETRE)
        *panels, last = figure.subplots(2, 3).ravel()
        for ax, (document, name) in zip(panels, ARMS.items(), strict=True):
            arm = load_arm(name)
            add_frames(ax, arm, default_pose(arm))
            ax.set_title(f"{document}: {name}")
        last.set_axis_off()
        last.legend(handles=frames_handles(), loc="center")
        figure.savefig(PICTURE, dpi=DPI)


if __name__ == "__main__":
    draw()
