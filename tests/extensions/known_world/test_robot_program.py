"""Plans as URScript: read back by a small parser, since no interpreter of the language is to be had."""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import pytest
from planned_paths import direct_path, line_path
from poses import HOME
from refusals import refused
from scipy.spatial.transform import Rotation

from dynamics import load_arm, with_tool
from hopfield_nav.extensions.known_world import time_path, urscript
from hopfield_nav.loop import evaluate

TOOL = np.eye(4)
TOOL[:3, :3], TOOL[:3, 3] = Rotation.from_rotvec([0.1, -0.2, 0.3]).as_matrix(), [0.01, 0.02, 0.15]
ARM = with_tool(load_arm("ur5_ragazzon2012"), TOOL)
POINTS = [
    HOME,
    HOME + np.array([0.5, -0.3, 0.2, 0.1, -0.1, 0.4]),
    HOME + np.array([0.5, 0.1, 0, 0, 0, -1]),
]
DIRECT = direct_path(POINTS)
OPENING = ("def ", "while ", "if ", "else:")


@cache
def line():
    return line_path(ARM, HOME, [[0.0, -0.2, 0.1], [0.1, 0, 0]], turn=[0.3, 0.2, 0.1])


@cache
def timed(kind):
    return time_path(ARM, DIRECT if kind == "direct" else line())


@pytest.fixture
def path(request):
    """The path of a kind."""
    return DIRECT if request.param == "direct" else line()


def program(path, **named):
    return urscript(ARM, timed(path.kind), **named)


def parse(text):
    """Statements (depth, text); refuses what is unbalanced, badly indented, not finite, or no statement."""
    known = re.compile(
        r"((global )?\w+ = .+|\w+\(.*\)|(while|if) .+:|else:|def \w+\(\w*\):|return .+|halt|end)$"
    )
    depth, statements = 0, []
    for line in text.splitlines():
        code = line.split("#")[0].rstrip()
        if not code:
            continue
        depth -= code.strip() in ("end", "else:")
        assert depth >= 0, "end without a block"
        assert code == "  " * depth + code.strip(), f"indentation of {line!r}"
        assert known.match(code.strip()), f"no statement: {line!r}"
        for opening, closing in ("()", "[]"):
            assert code.count(opening) == code.count(closing)
        assert not re.search(r"\bnan\b|\binf\b|\de[+-]?\d", code), f"not a plain number: {line!r}"
        statements.append((depth, code.strip()))
        depth += code.strip().startswith(OPENING)
    assert depth == 0, "a block is not closed"
    return statements


class Halt(Exception):
    """The program stopped itself."""


def run(text, joints=HOME):
    """Run a program on an arm that stands at ``joints``: its calls as (name, arguments, named).

    The few words the programs use mean the same in Python, once ``end`` is left out.
    """
    parse(text)
    done = []
    names = ("servoj", "stopj", "popup")
    robot = {
        name: lambda *given, _as=name, **named: done.append((_as, given, named)) for name in names
    }
    robot |= {"get_actual_joint_positions": lambda: list(joints), "Halt": Halt}
    lines = [line for line in text.splitlines() if line.strip() != "end"]
    code = "\n".join(
        line.replace("halt", "raise Halt") if line.strip() == "halt" else line for line in lines
    )
    try:
        exec(f"{code}\nplanned_path()", robot)
    except Halt:
        done.append(("halt", (), {}))
    return done


def calls(text, name):
    """Arguments of every call of a command: positional, named."""
    return [(given, named) for found, given, named in run(text) if found == name]


@pytest.mark.parametrize("path", ["direct", "line"], indirect=True)
def test_program_is_whole(path):
    text = program(path, name="to the\nshelf")
    first = text.splitlines()[0]
    assert first.startswith(f"# to the shelf: servoj, {timed(path.kind).knots[-1]:.3f} s")
    np.testing.assert_allclose(
        [float(x) for x in re.search(r"\[(.*)\]", first)[1].split(",")], HOME, atol=1e-9
    )
    statements = parse(text)
    assert statements[0] == (0, "def planned_path():")
    assert statements[-1] == (0, "end")
    assert text.endswith("end\n")
    assert text.isascii()
    assert "never run on a robot" in text


@pytest.mark.parametrize(
    "spoil",
    [
        ("\nend\n", "\n"),
        ("halt", "halt now"),
        ("stopj(", "stopj(nan, "),
        ("  servoj", " servoj"),
        ("], 0", "], (0"),
        ("[", ""),
    ],
)
def test_the_parser_finds_faults(spoil):
    good = program(DIRECT)
    parse(good)
    assert spoil[0] in good
    with pytest.raises(AssertionError):
        parse(good.replace(*spoil))


@pytest.mark.parametrize("path", ["direct", "line"], indirect=True)
def test_the_arm_goes_only_from_the_start(path):
    text = program(path)
    assert "popup" not in [name for name, *_ in run(text)]
    assert run(text)[0][0] == "servoj"
    for joint in range(6):
        for sign in (-1, 1):
            away = HOME.copy()
            away[joint] += sign * 0.011
            assert [name for name, *_ in run(text, away)] == ["popup", "halt"]
            away[joint] -= sign * 0.002
            assert run(text, away) == run(text)


@pytest.mark.parametrize("path", ["direct", "line"], indirect=True)
@pytest.mark.parametrize("period", [0.008, 0.002])
def test_servoj_targets_are_the_trajectory(path, period):
    trajectory = timed(path.kind)
    found = calls(program(path, period=period), "servoj")
    assert len(found) == math.ceil(trajectory.knots[-1] / period - 1e-6) + math.ceil(0.5 / period)
    for i, ((q, *options), named) in enumerate(found):
        np.testing.assert_allclose(q, evaluate(trajectory, period * (i + 1))[0], atol=1e-9)
        assert (np.abs(q) <= ARM.position_limits[:, 1]).all()
        assert options == [0, 0, period, 0.1, 300]
        assert named == {}
    steps = np.diff([HOME, *(given[0] for given, _ in found)], axis=0) / period
    assert (np.abs(steps) <= 1.001 * ARM.speed_limits).all()


FAR = direct_path([HOME, HOME + np.array([6.0, 0, 0, 0, 0, 0])])
BAD = {
    "joint limits": (lambda: (ARM, time_path(ARM, FAR)), {}, "joint 1 leaves its limits"),
    "period": (lambda: (ARM, timed("direct")), {"period": 0.0001}, "period is out"),
    "no number": (lambda: (ARM, timed("direct")), {"period": math.nan}, "period is out"),
    "seven joints": (lambda: (load_arm("panda"), timed("direct")), {}, "six joints"),
}


@pytest.mark.parametrize(("given", "named", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_in_one_line(given, named, words):
    with refused(words):
        urscript(*given(), **named)
