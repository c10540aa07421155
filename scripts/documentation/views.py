"""The pictures of the page in the browser on ``docs/record.md``, by today's program and Chromium.

    python scripts/documentation/views.py [--runs FOLDER]

runs three worlds and a plan, or takes them from a folder that holds them under their names, and
looks at each at one moment.
"""

import sys
import tempfile
from pathlib import Path

import typer
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures"
sys.path.append(str(ROOT / "tests" / "helpers"))
LAST = "hopfieldView.view.events.slice(-1)[0].time + 0.01"
VIEWS = {  # picture: world, words that make it, the moment
    "view_plane": ("ragazzon2012", ["run"], "hopfieldView.view.events[3].time + 0.06"),
    "view_space": ("over_the_wall", ["run"], LAST),
    "view_joints": ("whole_arm", ["run"], LAST),
    "view_plan": ("cell", ["plan"], "0.5 * hopfieldView.clock.end"),
}


def main(runs: Path | None = None) -> None:
    """Make them all, of results in a folder or of new ones."""
    from browser import Browser

    from hopfield_nav.cli import main as typed

    with tempfile.TemporaryDirectory() as name:
        folder, browser = Path(name), Browser(Path(name) / "browser")
        for picture, (world, words, moment) in VIEWS.items():
            result = runs / world if runs else folder / world
            if runs is None:
                assert typed([*words, world, "--out", str(result), "--no-plots"]) in (0, 1)
            page = folder / f"{world}.html"
            assert typed(["view", str(result), "--html", str(page)]) == 0
            browser.open(page.as_uri())
            browser.wait("window.hopfieldView !== undefined")
            browser.run(f"hopfieldView.clock.seek({moment})")
            browser.run(
                "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            Image.fromarray(browser.picture()).save(FIGURES / f"{picture}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    typer.run(main)
