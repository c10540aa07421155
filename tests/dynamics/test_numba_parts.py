"""Where Numba lacks a private part everything is computed as ever, only compiled more slowly."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dynamics.kernels import numba_parts

PROGRAM = """
import numpy as np
from dynamics import forward_dynamics, forward_kinematics, inverse_dynamics, jacobian, load_arm
from hopfield_nav.geometry import arm_distance, box, pack_primitives
arm, q = load_arm("ur5e"), np.linspace(-1.0, 1.5, 6)
print(*(np.asarray(v).tobytes().hex() for v in (
    forward_kinematics(arm, q), jacobian(arm, q), inverse_dynamics(arm, q, q, q),
    forward_dynamics(arm, q, q, q),
    arm_distance(arm, q, pack_primitives([box([0.5, 0.1, 0.3], [0.2, 0.3, 0.4])])),
)))
"""


def _printed(**flags):
    environment = {**os.environ, **flags}
    environment.pop("NUMBA_DISABLE_JIT", None)
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        env=environment,
        timeout=600,
        check=False,
    )
    return result.stdout, result.stderr


@pytest.mark.study
def test_without_them_the_results_are_the_same(tmp_path):
    plain = _printed(HOPFIELD_NAV_PLAIN_NUMBA="1", NUMBA_CACHE_DIR=str(tmp_path))
    usual = _printed()  # with the code that is there already
    assert usual == plain
    assert len(usual[0]) > 1000
    assert usual[1] == ""


def test_this_version_has_them_all():
    assert numba_parts.missing_part() == ""


def test_a_missing_part_is_told_in_one_line_and_none_is_used(monkeypatch, capsys):
    monkeypatch.setitem(numba_parts._PARTS, "numba.core.compiler:Compiler", ("compile_by_magic",))
    monkeypatch.delenv(numba_parts.PLAIN, raising=False)
    numba_parts.all_parts_are_there.cache_clear()
    try:
        assert not numba_parts.all_parts_are_there()
        assert not numba_parts.all_parts_are_there()
    finally:
        numba_parts.all_parts_are_there.cache_clear()
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "numba.core.compiler.Compiler.compile_by_magic" in told
