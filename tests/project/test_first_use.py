"""What a newcomer meets: the front pages as they are typed, what the first import loads, what a type checker sees."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from documentation.snippets import IN_A_SHELL, as_typed, blocks, expected_prints

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numba", "matplotlib", "xarray", "scipy.stats", "distributed")
WRONG = {
    "not yaml": "format: 1\ndetection: [\n",
    "a key": "format: 1\nplanner: {betta: 0.1}\n",
    "a method's parameter": "format: 1\ndetection: {thresold: 3}\n",
    "a method": "format: 1\ncontroller: {law: lrq}\n",
    "a kind of value": "format: 1\nmap: {spacing: wide}\n",
    "a sweep": "format: 1\nsweep: {worlds: u_trap}\n",
}
SCRIPT = """\
import numpy as np

from dynamics import forward_kinematics, inverse_kinematics, load_arm
from hopfield_nav import load_world, plan_path, simulate

arm = load_arm("ur5_ragazzon2012")
pose = forward_kinematics(arm, np.zeros(6))
reveal_type(inverse_kinematics(arm, pose))
run = simulate(load_world("u_trap"), seed=0)
reveal_type(run.outcome)
reveal_type(plan_path(np.zeros((3, 3), dtype=bool), (0, 0), (2, 2)).reason)
"""
LEFT = ("runs", "build")  # of the checkout: what a fresh one does not have
NO_INDEX = r"No matching distribution found|[Cc]onnection|name resolution"
EXTRAS = (
    "from importlib.util import find_spec\nprint([name for name in {names} if find_spec(name)])"
)


def _typed(page, folder):
    """Types a page in one shell that knows no environment; the kernels are those of this checkout, compiled once."""
    known = [
        entry
        for entry in os.environ["PATH"].split(os.pathsep)
        if not Path(entry, "hopfield-nav").exists()
    ]
    here = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    here |= {
        "PATH": os.pathsep.join(known),
        "PYTHONPATH": str(ROOT),
        "MPLBACKEND": "Agg",
        "BROWSER": "true",
    }
    command = ["bash", "-c", as_typed(blocks(page))]
    return subprocess.run(
        command, cwd=folder, env=here, capture_output=True, text=True, check=False
    )


@pytest.mark.study
@pytest.mark.skipif(shutil.which("bash") is None, reason="the pages are typed in bash")
def test_the_front_pages_can_be_typed_without_any_extra(tmp_path):
    checkout = tmp_path / "checkout"
    hidden = shutil.ignore_patterns("__pycache__", ".*")
    shutil.copytree(
        ROOT,
        checkout,
        ignore=lambda at, names: {*hidden(at, names), *(LEFT if at == str(ROOT) else ())},
    )
    for page in IN_A_SHELL:
        done = _typed(page, checkout)
        if re.search(r"FAILED .*pip install", done.stderr) and re.search(NO_INDEX, done.stderr):
            pytest.skip("no package index")
        assert done.returncode == 0, done.stderr[-3000:]
        assert [
            line for line in expected_prints(blocks(page)) if line not in done.stdout.splitlines()
        ] == []
    extras = EXTRAS.format(
        names=("toppra", "ompl", "mujoco", "distributed", "cryptography", "pytest")
    )
    asked = subprocess.run(
        [checkout / ".venv/bin/python", "-c", extras], capture_output=True, text=True, check=True
    )
    assert asked.stdout == "[]\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="the pages are typed in bash")
def test_what_fails_when_it_is_typed_is_named(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```bash\ncd /\nhere=1\n```\n\n```python\nprint(1)\n```\n\n```bash\ntest $here = 1\nfalse && true\n```\n"
    )
    script = as_typed(blocks(str(page)))
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "1\n")
    assert done.stderr == f"FAILED with status 1: {page}:10: false && true\n"


def _heavy_after(code):
    code = f"import sys\n{code}\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1], done.stderr


@pytest.mark.parametrize("package", ["dynamics", "hopfield_nav"])
def test_the_first_import_loads_nothing_heavy(package):
    assert _heavy_after(f"import {package}; dir({package})") == ("[]", "")


PRODUCT = """\
from dynamics.kernels.decorators import kernel

@kernel
def product(one, other):
    return one @ other
"""
USED = """\
import sys
import numpy as np
from dynamics import forward_kinematics, load_arm

forward_kinematics(load_arm("ur5e"), np.zeros(6))
print("scipy.linalg" in sys.modules)
from product import product

two = 2.0 * np.eye(2)
print((product(two, two) == 4.0 * np.eye(2)).all(), "scipy.linalg" in sys.modules)
"""


def test_linear_algebra_is_loaded_where_a_kernel_uses_it(tmp_path):
    (tmp_path / "product.py").write_text(PRODUCT)
    (tmp_path / "used.py").write_text(USED)
    how = {
        "capture_output": True,
        "text": True,
        "cwd": ROOT,
        "env": {**os.environ, "PYTHONPATH": str(ROOT)},
    }
    done = subprocess.run([sys.executable, str(tmp_path / "used.py")], check=False, **how)
    assert done.stdout.splitlines() == ["False", "True True"], done.stderr


def test_help_loads_nothing_heavy():
    assert _heavy_after("from hopfield_nav.cli import main; main(['--help'])") == ("[]", "")


@pytest.mark.parametrize("fault", WRONG)
def test_a_file_of_wrong_form_waits_for_nothing_heavy(fault, tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text(WRONG[fault])
    heavy, told = _heavy_after(
        f"from hopfield_nav.cli import main\nassert main(['check', {str(path)!r}]) == 2"
    )
    assert heavy == "[]"
    assert told.startswith(f"hopfield-nav: {path}")


@pytest.mark.study
def test_strict_type_checking_of_a_users_script_finds_typed_results(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    asked = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "script.py"]
    done = subprocess.run(asked, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout
    revealed = [
        line.split("Revealed type is ")[1]
        for line in done.stdout.splitlines()
        if "Revealed" in line
    ]
    assert len(revealed) == 3
    assert "ndarray" in revealed[0]
    assert revealed[1:] == ['"str"', '"str"']
