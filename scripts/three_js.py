"""Cut three.js to the parts that the page in a browser uses: ``hopfield_nav/extensions/viewer/vendor/three``.

    python scripts/three_js.py [--release 0.187.0] [--esbuild 0.28.2]

It gets both packages by npm into a folder that it removes, and bundles what ``entry.js`` names.
Needs Node.js; nothing that the packages bring is run but esbuild. Afterwards run the tests of
``tests/view``.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import typer

VENDOR = Path(__file__).resolve().parents[1] / "hopfield_nav" / "view" / "vendor" / "three"
BUNDLE = ["--bundle", "--minify", "--format=iife", "--global-name=THREE", "--legal-comments=none"]


def main(release: str = "0.187.0", esbuild: str = "0.28.2") -> None:
    """Write the bundle of such a release of three, and the licence that came with it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packages = [f"three@{release}", f"esbuild@{esbuild}"]
        subprocess.run(
            ["npm", "install", "--silent", "--ignore-scripts", *packages], cwd=folder, check=True
        )
        shutil.copy(VENDOR / "entry.js", folder)
        banner = (
            f"--banner:js=/* three.js {release}, cut by scripts/three_js.py; licence beside it */"
        )
        words = [
            "npx",
            "--no-install",
            "esbuild",
            "entry.js",
            *BUNDLE,
            banner,
            "--outfile=three.min.js",
        ]
        subprocess.run(words, cwd=folder, check=True)
        shutil.copy(folder / "three.min.js", VENDOR)
        shutil.copy(folder / "node_modules" / "three" / "LICENSE", VENDOR)


if __name__ == "__main__":
    typer.run(main)
