"""From what each picture of the pages was made, and which are older than what they show.

    python scripts/figure_origins.py                     # tells what is stale
    python scripts/figure_origins.py draw NAME...        # draws pictures that have a figure of a script
    python scripts/figure_origins.py note NAME...        # after another script has drawn them

``docs/figures/origins.yaml`` names the origin of every picture, ``digests.json`` beside it what was
there when it was drawn: the picture itself, the results that it draws, those of the runs that it
shows, and the script and the sources of the program that decide how it looks. Where results are
others today, the picture is stale, and a test fails; where the program is another, it may look
otherwise, and the test warns. A source counts without its words: comments may change.
"""

import ast
import hashlib
import json
import subprocess
from collections.abc import Callable, Iterable
from fnmatch import fnmatch
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "figures"
ORIGINS, DIGESTS = FIGURES / "origins.yaml", FIGURES / "digests.json"
PICTURES = (".png", ".gif", ".mp4")
Read = Callable[[str], bytes]
app = typer.Typer(invoke_without_command=True, add_completion=False)


@cache
def origins() -> dict[str, Any]:
    """The groups of sources, and the pictures."""
    return yaml.safe_load(ORIGINS.read_text(encoding="utf-8"))


def digests() -> dict[str, dict[str, Any]]:
    """What was there when each picture was drawn."""
    return json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}


def pictures() -> set[str]:
    """The pictures and films of the pages."""
    return {path.name for path in FIGURES.iterdir() if path.suffix in PICTURES}


def script_of(origin: dict[str, Any]) -> str | None:
    """The script that makes a picture; None where a command of the program does."""
    if "draw" in origin:
        return f"scripts/{origin['draw'].partition(':')[0].replace('.', '/')}.py"
    words = origin["by"].split()
    return words[1] if words[0] == "python" else None


def now(name: str, commit: str | None = None) -> dict[str, str]:
    """The digests of a picture as of today, or of an earlier commit."""
    origin = origins()["pictures"][name]
    script, program = script_of(origin), origins()["groups"][origin["program"]]

    def read(path: str) -> bytes:
        return (ROOT / path).read_bytes() if commit is None else _git("show", f"{commit}:{path}")

    return {
        "picture": _short(read(f"docs/figures/{name}")),
        "inputs": _together(origin.get("from", []), read),
        "program": _together([*filter(None, [script]), *_matching(program, commit)], read),
    }


def results(name: str) -> dict[str, str]:
    """What the runs that a picture shows give today, a line each."""
    return {run: result(run) for run in origins()["pictures"][name].get("runs", [])}


@cache
def result(run: str) -> str:
    """A run in a line: ``reached, 16 touches, 34.4 s, 22 N``."""
    from hopfield_nav import load_world, simulate

    world, *changes = _words(run)
    told = simulate(load_world(world, changes), seed=0).summary
    touches, time, force = (
        told[key] for key in ("collision_count", "simulated_time_s", "peak_contact_force_N")
    )
    return f"{told['outcome']}, {touches} touches, {time:.3g} s, {force:.2g} N"


def stale() -> list[str]:
    """The pictures that are no longer what they show, a sentence each; empty where all are."""
    kept, named = digests(), origins()["pictures"]
    found = [f"{name}: no origin in {ORIGINS.name}" for name in sorted(pictures() - set(named))]
    found += [f"{name}: not drawn, or gone" for name in sorted(set(named) - pictures())]
    for name in sorted(pictures() & set(named)):
        then, today = kept.get(name, {}), now(name)
        script = script_of(named[name])
        if script and not (ROOT / script).exists():
            found.append(f"{name}: {script} is gone")
        if then.get("picture") != today["picture"]:
            found.append(f"{name}: another picture than the one that was noted when it was drawn")
        elif then["inputs"] != today["inputs"]:
            found.append(f"{name}: the results that it draws have changed since it was drawn")
        for run, line in results(name).items():
            if then.get("results", {}).get(run) != line:
                found.append(
                    f"{name}: shows {run!r} with {then.get('results', {}).get(run)}; today {line}"
                )
    return found


def older() -> list[str]:
    """The pictures whose results are those of today, but not the script or program: they may look otherwise today."""
    kept = digests()
    return [
        name
        for name in sorted(pictures() & set(kept))
        if kept[name]["program"] != now(name)["program"]
    ]


@app.callback()
def tell(context: typer.Context) -> None:
    """Say what is stale."""
    if context.invoked_subcommand is None:
        print(*stale(), f"drawn by an earlier program: {', '.join(older()) or 'none'}", sep="\n")


@app.command()
def draw(names: list[str]) -> None:
    """Draw pictures that have a figure of a script, and note them."""
    from reproduction import PICTURES as FOUND

    from hopfield_nav.figures import paper_style

    for name in names:
        origin = origins()["pictures"][name]
        module, _, figure = origin["draw"].partition(":")
        import_module(module)
        with paper_style():
            FOUND[module][figure]().savefig(FIGURES / name, dpi=origin.get("dpi"))
    note(names)


@app.command()
def note(
    names: list[str],
    at: Annotated[bool, typer.Option(help="As of the commit of the picture.")] = False,
) -> None:
    """Note pictures that have just been drawn."""
    kept = digests()
    for name in names:
        commit = (
            _git("log", "-1", "--format=%H", "--", f"docs/figures/{name}").decode().strip()
            if at
            else None
        )
        shown = results(name)
        kept[name] = now(name, commit) | ({"results": shown} if shown else {})
    DIGESTS.write_text(
        json.dumps(dict(sorted(kept.items())), indent=1, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )


def _git(*words: str) -> bytes:
    # empty: not there then
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False).stdout


def _matching(patterns: Iterable[str], commit: str | None) -> list[str]:
    """The files that patterns name, today or in a commit."""
    if commit is None:
        return sorted(
            path.relative_to(ROOT).as_posix()
            for p in patterns
            for path in ROOT.glob(p)
            if path.is_file()
        )
    every = _git("ls-tree", "-r", "--name-only", commit).decode().splitlines()
    return sorted(path for path in every if any(fnmatch(path, p) for p in patterns))


def _together(paths: Iterable[str], read: Read) -> str:
    return _short("\n".join(_short(_meaning(path, read(path))) for path in paths).encode())


def _meaning(path: str, content: bytes) -> bytes:
    """A Python or YAML file without its words; any other as it is."""
    if path.endswith(".yaml"):
        return json.dumps(_without_words(yaml.safe_load(content) or {})).encode()
    if not path.endswith(".py"):
        return content
    tree = ast.parse(content)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
    return ast.dump(tree).encode()


def _without_words(data: Any) -> Any:
    """What a YAML file says, without descriptions and sources."""
    if isinstance(data, list):
        return [_without_words(each) for each in data]
    if isinstance(data, dict):
        return {
            key: _without_words(value)
            for key, value in data.items()
            if key not in ("description", "source")
        }
    return data


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def _words(run: str) -> list[str]:
    """A world and its changes; a change may hold spaces."""
    first, *rest = run.split(" ")
    words: list[str] = []
    for word in rest:
        begins = "=" in word and word.partition("=")[0].replace(".", "").replace("_", "").isalnum()
        words = [*words, word] if begins else [*words[:-1], f"{words[-1]} {word}"]
    return [first, *words]


if __name__ == "__main__":
    app()
