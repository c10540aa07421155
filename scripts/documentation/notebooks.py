"""Execute the notebooks of the documentation and store what they print and draw in them.

    python scripts/documentation/notebooks.py

The tests execute them again, in an empty folder, and compare what they print.
"""

import os
import tempfile
from pathlib import Path

import nbclient
import nbformat
from traitlets.config import Config

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook with what its cells gave, executed in ``folder``; raises what a cell raises."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as sockets:  # in place of a port, which others could reach
        nbclient.NotebookClient(
            notebook,
            timeout=600,
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
            config=Config(KernelManager={"transport": "ipc", "ip": f"{sockets}/kernel"}),
        ).execute()
    for cell in notebook.cells:
        cell.metadata = {}
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
    return notebook


def printed(notebook: nbformat.NotebookNode) -> list[list[str]]:
    """What each cell printed or answered; pictures as the word ``picture``."""
    return [[_as_text(output) for output in cell.get("outputs", [])] for cell in notebook.cells]


def _as_text(output: nbformat.NotebookNode) -> str:
    data = output.get("data", {})
    return "picture" if "image/png" in data else output.get("text", data.get("text/plain", ""))


def main() -> None:
    os.environ.pop("HOPFIELD_NAV_DATA", None)  # stored is what comes without recordings
    for path in sorted(FOLDER.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, Path(folder)), path)
        print(path.name)


if __name__ == "__main__":
    main()
