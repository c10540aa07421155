"""The commands list and new: what comes along, a line each, and a file to begin with."""

import os
import re
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from dynamics import BadInput, nearest_name, printable, require_known

if TYPE_CHECKING:
    from dynamics.files import NamedArm

_METHODS = {
    "laws": "controller", "estimators": "estimator", "detectors": "detector", "planners": "planner",
    "responses": "response", "beliefs": "belief", "spaces": "navigator", "engines": "engine",
}  # fmt: skip
_NEXT = {  # commands for what was written
    "worlds": ("check", "run"), "sweeps": ("check", "sweep"), "suites": ("check", "bench"), "arms": ("check",),
}  # fmt: skip
# a file, as a bundled one may name another
_BESIDE = re.compile(r"(?<![\w./-])[\w./-]+\.(?:py|yaml)\b")
KINDS = ("worlds", "arms", *_METHODS, "sweeps", "suites")
KEYS = "keys"
LISTS = (*KINDS, KEYS)


def _begin_with(incomplete: str) -> list[str]:
    return [kind for kind in LISTS if kind.startswith(incomplete)]


def list_(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help=", ".join(LISTS) + ".",
            autocompletion=_begin_with,
            show_default=False,
        ),
    ],
    word: Annotated[
        str | None,
        typer.Argument(metavar="[WORD]", help="What has this word alone: list keys f_min."),
    ] = None,
) -> int:
    """List the worlds, arms, control laws, detectors, planners, sweeps, suites, keys … that come along."""
    require_known(what, LISTS, "unknown list")
    lines = describe_known(what)
    if word is not None:
        lines = _with_word(lines, word)
    width = max(map(len, lines), default=0)
    wide = (
        get_terminal_size().columns
        if sys.stdout.isatty() or "COLUMNS" in os.environ
        else sys.maxsize
    )
    indent = " " * min(width + 2, wide // 3)
    for name, line in lines.items():
        print(
            fill(
                printable(f"{name:{width}}  {line}"),
                wide,
                subsequent_indent=indent,
                break_long_words=False,
            )
        )
    return 0


def _with_word(lines: Mapping[str, str], word: str) -> dict[str, str]:
    """Those that a word, in any case, is found in.

    Raises ``BadInput``: it is in none.
    """
    wanted = word.casefold()
    found = {name: line for name, line in lines.items() if wanted in f"{name} {line}".casefold()}
    if not found:
        nearest = nearest_name(word, [*lines, *(name.rpartition(".")[2] for name in lines)])
        raise BadInput("nothing has that word", "list", word, "another word, or none", nearest)
    return found


def describe_known(what: str) -> Mapping[str, str]:
    """One sentence on each thing of a kind that comes with the program, by name.

    ``what`` is in ``LISTS``.
    """
    if what == KEYS:
        from hopfield_nav.cli.keys import describe_keys

        return describe_keys()
    if what in _METHODS:
        from hopfield_nav.plugin import loadable_methods

        return {name: one.description for name, one in loadable_methods(_METHODS[what]).items()}
    from hopfield_nav.world import read_document

    texts = {
        name: str(read_document(path).data.get("description", ""))
        for name, path in files_of(what).items()
    }
    # up to the first full stop, in one line
    return {
        name: re.split(r"\.\s|\.$", " ".join(text.split()), maxsplit=1)[0]
        for name, text in texts.items()
    }


def files_of(what: str) -> dict[str, Path]:
    """The worlds, arms, sweeps or suites that come with the program, by name."""
    if what == "arms":
        from dynamics import arm_file, list_arms

        return {name: arm_file(name) for name in list_arms()}
    if what == "suites":
        from hopfield_nav.plugin import find_provided, provided

        find = find_provided("find_suite")  # none of them without its extension
        return {name: find(name) for name in provided("list_suites", "suites")()} if find else {}
    from hopfield_nav.world import find_sweep, find_world, list_sweeps, list_worlds

    if what == "worlds":
        return {name: find_world(name) for name in list_worlds()}
    return {name: find_sweep(name) for name in list_sweeps()}


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write, FILE.yaml.")],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME",
            help="Copy a world, sweep or suite that comes along: u_trap, suites/whole_arm; "
            "with --arm an arm: ur10e, robot.urdf, robot.urdf:TIP.",
        ),
    ] = None,
    arm: Annotated[bool, typer.Option("--arm", help="An arm file instead.")] = False,
) -> int:
    """Write a world file with comments, to begin with: it checks and runs as it is."""
    if file.suffix not in (".yaml", ".yml"):
        raise BadInput("not the name of a world file", found=str(file), allowed="FILE.yaml")
    name = printable(str(file))
    if arm and source is not None:
        kind, text = "arms", _arm_text(source, name)
    elif source is None:
        kind, template = ("arms", "arm_template.yaml") if arm else ("worlds", "template.yaml")
        text = (
            (resources.files("hopfield_nav.cli") / template)
            .read_text(encoding="utf-8")
            .replace("FILE", name)
        )
    else:
        kind, text = _bundled(source)
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise BadInput("is there already; nothing is overwritten", where=str(file)) from None
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror or error}", where=str(file)) from None
    then = [f"`arm: {name}` in a world"] if arm else []
    commands = " and ".join(
        [*(f"`hopfield-nav {command} {name}`" for command in _NEXT[kind]), *then]
    )
    print(f"{name}: to be changed; {commands} come{'s' * (len(_NEXT[kind]) + len(then) == 1)} next")
    return 0


_ARM_HEAD = """\
# The arm of {source}, as an arm file. What a URDF does not say is written in by hand, for every link:
#
#   rotor_inertia: 0.5                       of the motor, at the joint [kg·m²], in the place of 0.0
#   friction: {{coulomb: 5, viscous: 6}}       [N·m], [N·m·s/rad]
#
# docs/arm_files.md lists every key; capsules say what can touch.
#
#   hopfield-nav check {name}            says whether it can be used
#   arm: {name}                          in a world, beside it
"""


def _arm_text(source: str, name: str) -> str:
    """An arm file with the numbers of another arm: one that comes along, an arm file, URDF or MJCF.

    Raises ``BadInput``: there is no such arm, it cannot be used, or it has no masses.
    """
    from dynamics import load_named_arm
    from dynamics.files import arm_text

    try:
        found = load_named_arm(source)
    except BadInput as error:
        raise error.at(error.where or "--from") from None
    told = Path(source).name
    text = arm_text(found.arm, f"The arm of {told}.", told, joints=found.joints)
    head = _ARM_HEAD.format(source=printable(told), name=name)
    return head + _left_out(found) + text


def _left_out(found: "NamedArm") -> str:
    """Comments on what a file says that an arm file has no key for: where the tool is, how the base is turned."""
    import numpy as np

    lines = list[str]()
    if not np.array_equal(found.arm.tool, np.eye(4)):
        x, y, z = (f"{value:.6g}" for value in found.arm.tool[:3, 3])
        turned = "" if np.allclose(found.arm.tool[:3, :3], np.eye(3)) else " It is turned, too."
        lines.append(
            f"The tip lies at [{x}, {y}, {z}] m of the flange: `tool.frame` of a world.{turned}"
        )
    if not np.array_equal(found.T_base_0, np.eye(4)):
        lines.append(
            "The first joint's axis is not the z axis of the base: see `gravity` of a world."
        )
    return "".join(f"# {line}\n" for line in lines)


def _bundled(source: str) -> tuple[str, str]:
    """The kind of a bundled file, ``NAME`` or ``KIND/NAME``, and its text, which can be read from anywhere."""
    found = [
        (kind, name, path)
        for kind in ("worlds", "sweeps", "suites")
        for name, path in files_of(kind).items()
    ]
    fits = [(kind, path) for kind, name, path in found if source in (name, f"{kind}/{name}")]
    if not fits:
        allowed = "a name from hopfield-nav list worlds, sweeps or suites"
        nearest = nearest_name(source, [name for _, name, _ in found])
        what = "nothing of that name comes along"
        raise BadInput(what, where="--from", found=source, allowed=allowed, nearest=nearest)
    kind, path = fits[0]
    return kind, _BESIDE.sub(
        lambda match: _from_anywhere(match[0], path), path.read_text(encoding="utf-8")
    )


def _from_anywhere(word: str, source: Path) -> str:
    """A word of a bundled file.

    Where it names a file beside it, that file's name if it is a world, or its path.
    """
    from hopfield_nav.world import world_folders

    path = (source.parent / word).resolve()
    if not path.is_file():
        return word
    return path.stem if path.parent in world_folders() else path.as_posix()
