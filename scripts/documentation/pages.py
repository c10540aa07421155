"""The pages of the site, written as files before any engine builds it.

    python scripts/documentation/pages.py

writes build/pages: what lies in docs, a page of the API reference for every room (from the
docstrings, which the engine reads), one with the help of every command, the network to play with,
the notebooks with the results that are stored in them, and the change log. ``mkdocs build`` makes
the site of these files, and so can another engine that reads mkdocs.yml.
"""

import base64
import json
import shutil
import sys
from pathlib import Path

import typer.main

from hopfield_nav.cli.app import app
from hopfield_nav.extensions.network import page_text

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "build" / "pages"
NETWORK = "network_page.html"  # the network to play with, to which docs/network.md links
LEFT_OUT = ("measured", "*.ipynb")  # of docs: what the pages hold already
PLACES = ("dynamics", "dynamics/*", "hopfield_nav", "hopfield_nav/*", "hopfield_nav/extensions/*")
STUBS = [path for place in PLACES for path in ROOT.glob(f"{place}/*.pyi")]
ROOMS = sorted(
    ".".join(path.parent.relative_to(ROOT).parts) for path in STUBS if path.parent.name != "cli"
)


def write(folder: Path = PAGES) -> list[Path]:
    """Write all pages to a folder, in place of what was there; the pages."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for name, content in made().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return sorted(folder.rglob("*.md"))


def made() -> dict[str, str | bytes]:
    """The pages that no file of docs holds, and the pictures on them."""
    pages: dict[str, str | bytes] = {
        f"reference/{room}.md": f"# `{room}`\n\n::: {room}\n" for room in ROOMS
    }
    pages["reference/help.md"] = help_of_all()
    pages[NETWORK] = page_text(command="hopfield-nav network")
    pages["changelog.md"] = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        pages |= notebook_page(path)
    return pages


def help_of_all() -> str:
    """What ``--help`` prints for each command, as one page."""
    group = typer.main.get_command(app)
    parts = ["# Help of every command", "What `hopfield-nav COMMAND --help` prints."]
    whole = group.make_context("hopfield-nav", ["list", "worlds"], resilient_parsing=True)
    for name in group.list_commands(whole):
        command = group.get_command(whole, name)
        context = type(whole)(
            command, info_name=f"hopfield-nav {name}", terminal_width=96, max_content_width=96
        )
        parts.append(f"## {name}\n\n```text\n{command.get_help(context)}\n```")
    return "\n\n".join(parts) + "\n"


def notebook_page(path: Path) -> dict[str, str | bytes]:
    """The page of a notebook and its pictures, by name."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    made: dict[str, str | bytes] = {}
    parts = []
    for cell in cells:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                name = f"notebooks/{path.stem}_{len(made)}.png"
                made[name] = base64.b64decode(data["image/png"])
                parts.append(f"![]({Path(name).name})")
            else:
                text = "".join(output.get("text", data.get("text/plain", "")))
                parts.append(f"```text\n{text.rstrip()}\n```")
    where = f"*Made from the notebook `docs/notebooks/{path.name}`, which a test executes.*"
    made[f"notebooks/{path.stem}.md"] = "\n\n".join([*parts, where]) + "\n"
    return made


if __name__ == "__main__":
    print(f"{len(write(*map(Path, sys.argv[1:])))} pages")
