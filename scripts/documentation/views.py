"""The pictures of the page in the browser on ``docs/view.md``, by today's program and Chromium.

    python scripts/documentation/views.py [--runs FOLDER]

runs three worlds and a plan, or takes them from a folder that holds them under their names, and looks at each
at one moment.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures"
sys.path.append(str(ROOT / "tests"))
LAST = "hopfieldView.view.events.slice(-1)[0].time + 0.01"
VIEWS = {  # picture: world, words that make it, the moment
    "view_plane": ("ragazzon2012", ["run"], "hopfieldView.view.events[8].time + 0.06"),
    "view_space": ("over_the_wall", ["run"], LAST),
    "view_joints": ("whole_arm", ["run"], LAST),
    "view_plan": ("cell", ["plan"], "0.5 * hopfieldView.clock.end"),
}


def main() -> None:
    """Make them all."""
    from browser import Browser

    from hopfield_nav.cli import main as typed

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=Path, help="folder with ragazzon2012, over_the_wall, whole_arm and cell")
    made = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        folder, browser = Path(name), Browser(Path(name) / "browser")
        for picture, (world, words, moment) in VIEWS.items():
            result = made / world if made else folder / world
            if made is None:
                assert typed([*words, world, "--out", str(result), "--no-plots"]) in (0, 1)
            page = folder / f"{world}.html"
            assert typed(["view", str(result), "--html", str(page)]) == 0
            browser.open(page.as_uri())
            browser.wait("window.hopfieldView !== undefined")
            browser.run(f"hopfieldView.clock.seek({moment})")
            browser.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            Image.fromarray(browser.picture()).save(FIGURES / f"{picture}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
