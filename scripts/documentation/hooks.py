"""For MkDocs: the pages that are made when the site is built.

The API reference has a page for every room, from the docstrings; a page has the help of every command;
notebooks become pages with the results that are stored in them; and the change log is shown as it is.
"""

import base64
import json
from pathlib import Path

import typer.main
from mkdocs.structure.files import File

from hopfield_nav.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("dynamics", "dynamics/*", "hopfield_nav", "hopfield_nav/*", "hopfield_nav/extensions/*")
STUBS = [path for place in PLACES for path in ROOT.glob(f"{place}/*.pyi")]
ROOMS = sorted(".".join(path.parent.relative_to(ROOT).parts) for path in STUBS if path.parent.name != "cli")


def on_files(files, config):
    """Add the pages that no file holds."""
    made = {f"reference/{room}.md": f"# `{room}`\n\n::: {room}\n" for room in ROOMS}
    made["reference/help.md"] = help_of_all()
    made["changelog.md"] = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        made |= notebook_page(path)
        files.remove(files.src_uris[f"notebooks/{path.name}"])
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def help_of_all() -> str:
    """What ``--help`` prints for each command, as one page."""
    group = typer.main.get_command(app)
    parts = ["# Help of every command", "What `hopfield-nav COMMAND --help` prints."]
    whole = group.make_context("hopfield-nav", ["list", "worlds"], resilient_parsing=True)
    for name in group.list_commands(whole):
        command = group.get_command(whole, name)
        context = type(whole)(command, info_name=f"hopfield-nav {name}", terminal_width=96, max_content_width=96)
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
