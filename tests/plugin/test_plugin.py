"""Methods of one's own: they plug in through the world file, and faulty ones are refused in one line."""

from __future__ import annotations

import resource
import sys
from functools import partial

import numpy as np
import pytest
from numba import njit
from refusals import refused
from scenes import GOAL, simulation, world

from dynamics import load_arm
from dynamics.kernels.decorators import kernel
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.work import make_work
from hopfield_nav.plugin import (
    KINDS,
    Method,
    Parameter,
    compiled,
    find_method,
    make_sensed,
    method_names,
    unpacker,
)

DETECTOR = """
import math
from hopfield_nav.plugin import Method, Parameter


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    memory[0] += 1.0
    total = 0.0
    for i in range(sensed.q.size):
        total += abs(tau_external[i])
    return total / parameters[0]


METHOD = Method(
    kind="detector", name="torque_sum", kernel=detect,
    parameters=[Parameter("threshold", 5.0, 0.1, 1e3, "N·m", "sum of the joint torques")],
    memory=lambda n: 1,
)
"""

ESTIMATOR = """
from hopfield_nav.plugin import Method


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    for i in range(tau_external.size):
        tau_external[i] = 0.0
    for i in range(6):
        wrench[i] = 0.0
    memory[0] += 1.0
    if memory[0] % parameters[0] == 0.0:
        wrench[0] = -100.0
    return 1


from hopfield_nav.plugin import Parameter
METHOD = Method(kind="estimator", name="every", kernel=estimate,
                parameters=(Parameter("every", 50.0, 1.0, 1e6, "1", "calls"),), memory=lambda n: 1)
"""

CONTROLLER = """
from hopfield_nav.plugin import Method, Parameter


def control(model, sensed, parameters, memory, work, tau):
    for i in range(tau.size):
        tau[i] = -parameters[i] * (sensed.q[i] - sensed.q_ref[i]) - 5.0 * sensed.qd[i]
    return 0


METHOD = Method(kind="controller", name="pd", kernel=control,
                parameters=(Parameter("gain", 400.0, 0.0, 1e5, "N·m/rad", "stiffness", per_joint=True),))
"""


@pytest.fixture
def mine(tmp_path):
    def write(text):
        (tmp_path / "mine.py").write_text(text)
        return tmp_path

    return write


def test_own_detector_plugs_in(mine):
    folder = mine(DETECTOR)
    text = "obstacles: [{cylinder: {center: [0.4, -0.09], radius: 0.05}}]\n" + GOAL
    own = simulation(text + "detection: {measure: 'mine.py:METHOD', threshold: 6}\n", folder)
    run = own.run()
    assert run.outcome == "reached"
    assert run.summary["collision_count"] > 0
    # once a period, also where a collision interrupts it; the last time when it arrives
    assert own.controller.detector.memory[0] == own.state.statistics.periods + 1
    none = simulation(
        text + "detection: {measure: 'mine.py:METHOD', threshold: 1000}\ntime_limit: 8\n", folder
    )
    assert none.run().summary["collision_count"] == 0


def test_own_estimator_plugs_in(mine):
    run = simulation(
        GOAL
        + "detection: {estimator: 'mine.py:METHOD', every: 100, episodes: false}\ntime_limit: 0.35\n",
        mine(ESTIMATOR),
    ).run()
    assert run.data.event_time.values == pytest.approx([0.099, 0.199, 0.299])
    assert run.summary["false_alarm_count"] == 3
    assert run.summary["damped_estimate_share"] == 1.0


def test_own_controller_plugs_in_and_the_estimator_that_needs_its_gains_says_so(mine):
    folder = mine(CONTROLLER)
    text = "controller: {law: 'mine.py:METHOD', gain: 300}\ntime_limit: 0.1\n"
    sim = simulation("plant: {step: 0.0001}\n" + text + "detection: {estimator: none}\n", folder)
    sim.state.q[:] += 0.01
    sim.step(0.0001)
    np.testing.assert_allclose(sim.state.control.sensed.tau, -300 * 0.01, rtol=1e-9)
    with refused("needs K0 of the control law"):
        world(text, folder)


@pytest.mark.parametrize("brought", ["", ", limits=lambda values: Limits(damping=values['gain'])"])
def test_own_controller_brings_its_limit_of_the_period(mine, brought):
    """Damping of 5e4 N·m·s/rad, held for 1 ms, explodes: refused where the law says that it damps so."""
    law = CONTROLLER.replace("import Method, Parameter", "import Limits, Method, Parameter")
    folder = mine(law.replace(")\n", f"{brought})\n") if brought else law)
    text = "controller: {law: 'mine.py:METHOD', gain: 50000}\ntime_limit: 0.1\ndetection: {estimator: none}\n"
    if brought:
        with refused(r"controller\.period: .*would explode"):
            simulation(text, folder)
    else:
        assert simulation(text, folder).warnings == []


def test_own_controller_brings_its_frequency(mine):
    brought = ", limits=lambda values: Limits(frequency=values['gain'])"
    law = CONTROLLER.replace("import Method, Parameter", "import Limits, Method, Parameter")
    folder = mine(law.replace(")\n", f"{brought})\n"))
    text = "controller: {law: 'mine.py:METHOD', gain: %s}\ntime_limit: 0.1\ndetection: {estimator: none}\n"
    (warning,) = simulation(text % "1500", folder).warnings
    assert "with a period of 1 ms is unstable" in warning
    assert simulation(text % "500", folder).warnings == []


def test_a_world_with_own_methods_survives_saving(mine, tmp_path):
    folder = mine(DETECTOR)
    run = simulation(
        "detection: {measure: 'mine.py:METHOD', threshold: 6}\ntime_limit: 0.01\n", folder
    ).run()
    run.save(tmp_path / "deep" / "run")
    from hopfield_nav.world import load_world

    again = load_world(tmp_path / "deep" / "run" / "world.yaml", allow_code=True)
    assert again.detection.parameters["threshold"] == 6


def _kernel(body, arguments="model, sensed, parameters, memory, work, tau_external, wrench"):
    return (
        "import numpy as np\nfrom hopfield_nav.plugin import Method\n"
        f"def kernel({arguments}):\n    {body}\n"
        "METHOD = Method(kind='detector', name='mine', kernel=kernel)\n"
    )


def test_a_method_may_make_arrays_and_their_memory_is_given_back(mine):
    """A sum by NumPy is the sum of a loop, period by period; 4 GB are made and let go."""
    summed = "    many = np.zeros(100_000) + np.abs(tau_external).sum()\n    return many[-1]"
    folder = mine("import numpy as np\n" + DETECTOR.replace("    return total", summed))
    (folder / "loop.py").write_text(DETECTOR)
    levels, most = {}, []
    for name in ("loop", "mine"):
        text = f"detection: {{measure: '{name}.py:METHOD', threshold: 6}}\ntime_limit: 8\nrecord: {{every: 1}}\n"
        text += "obstacles: [{cylinder: {center: [0.4, -0.09], radius: 0.05}}]\n" + GOAL
        levels[name] = simulation(text, folder).run().data.level.values
        most.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    assert most[1] - most[0] < 500_000  # [kB]
    np.testing.assert_allclose(levels["mine"], levels["loop"], rtol=1e-12)
    assert levels["mine"].max() > 1.0


FAULTY = {
    "unknown name": (_kernel("return undefined_thing"), "undefined_thing"),
    "wrong arguments": (_kernel("return 0.0", "model, sensed"), "7"),
    "what Numba does not know": (_kernel("return np.pad(tau_external, 2).max()"), "numpy.pad"),
    "raises": (
        _kernel("if sensed.time > 1.0:\n        raise ValueError('late')\n    return 0.0"),
        "raises errors",
    ),
    "returns nothing": (_kernel("pass"), "none"),
    "object mode": (_kernel("return {'a': object()}"), "object"),
    "no function": (_kernel("pass").replace("kernel=kernel", "kernel=3"), "function"),
}


@pytest.mark.parametrize(("text", "told"), FAULTY.values(), ids=FAULTY)
def test_what_numba_cannot_compile_is_bad_input_in_one_line(mine, text, told):
    folder = mine(text)
    with refused(told) as caught:
        simulation("detection: {measure: 'mine.py:METHOD'}\n", folder)
    assert "mine" in str(caught.value)
    assert "Failed in nopython mode" not in str(caught.value)


WRONG = {
    "a detector for an estimator": (DETECTOR, "estimator: 'mine.py:METHOD'", "no estimator"),
    "another name in the file": (DETECTOR, "measure: 'mine.py:OTHER'", "no detector"),
    "another file": (DETECTOR, "measure: 'yours.py:METHOD'", "no such file"),
    "a key it has not": (DETECTOR, "measure: 'mine.py:METHOD', omega: 3", "unknown key"),
    "a value out of range": (DETECTOR, "measure: 'mine.py:METHOD', threshold: 0", "out of range"),
    "a misspelt name": (DETECTOR, "measure: force_nrom", "force_norm"),
    "no Python": ("this is no python", "measure: 'mine.py:METHOD'", "SyntaxError"),
    "a file that fails": ("raise ValueError('boom')", "measure: 'mine.py:METHOD'", "boom"),
    "no method": ("METHOD = 3", "measure: 'mine.py:METHOD'", "no detector"),
}


@pytest.mark.parametrize(("text", "detection", "words"), WRONG.values(), ids=WRONG)
def test_wrong_kind_name_or_file(mine, text, detection, words):
    with refused(words):
        world(f"detection: {{{detection}}}\n", mine(text))


@pytest.mark.parametrize("kind", KINDS)
def test_every_built_in_method_is_of_its_kind_and_compiles(kind):
    for name in method_names(kind):
        method = find_method(kind, name)
        assert (method.kind, method.name) == (kind, name)
        assert callable(compiled(method))


PACKED = Method(
    "controller",
    "m",
    lambda: 0,
    [Parameter("a", 1.0, 0, 9, "1", ""), Parameter("b", [2.0, 3.0], 0, 9, "1", "", True)],
)


MIXED = """
from hopfield_nav.plugin import Method, Parameter, unpacker

unpack = unpacker(
    Parameter("gain", 1.0, 0.0, 1e3, "1", "of each joint", per_joint=True),
    Parameter("offset", 0.0, 0.0, 1e3, "1", "of all"),
    Parameter("weight", 1.0, 0.0, 1e3, "1", "of each joint", per_joint=True),
    Parameter("threshold", 5.0, 0.1, 1e3, "1", "of the sum"),
)


def by_name(model, sensed, parameters, memory, work, tau_external, wrench):
    p, total = unpack(parameters), 0.0
    for i in range(tau_external.size):
        total += (p.gain[i] + p.offset) * p.weight[i] * tau_external[i]
    return total / p.threshold


def by_place(model, sensed, parameters, memory, work, tau_external, wrench):
    n, total = tau_external.size, 0.0
    for i in range(n):
        total += (parameters[i] + parameters[n]) * parameters[n + 1 + i] * tau_external[i]
    return total / parameters[2 * n + 1]


NAMES = Method("detector", "by_name", by_name, unpack.declared)
PLACES = Method("detector", "by_place", by_place, unpack.declared)
"""


@pytest.mark.parametrize("n", [2, 6])
def test_parameters_are_read_by_their_names_or_by_their_places(tmp_path, n):
    """Both forms see the same numbers, as compiled code and as Python."""
    (tmp_path / "mixed.py").write_text(MIXED)
    rng = np.random.default_rng(n)
    gain, weight, tau = rng.uniform(0.5, 2.0, (3, n))
    values = {"gain": tuple(gain), "weight": tuple(weight), "offset": 3.0, "threshold": 7.0}
    expected = ((gain + 3.0) * weight * tau).sum() / 7.0
    for name in ("NAMES", "PLACES"):
        method = find_method("detector", f"mixed.py:{name}", tmp_path)
        given = method.pack(values, n), np.zeros(0), make_work(n), tau, np.zeros(6)
        for call in (method.kernel, partial(_call, compiled(method))):
            assert call(load_arm("ur5_ragazzon2012"), make_sensed(n), *given) == pytest.approx(
                expected, rel=1e-14
            )


@njit
def _call(function, model, sensed, parameters, memory, work, tau_external, wrench):
    return function(model, sensed, parameters, memory, work, tau_external, wrench)


def test_parameters_are_packed_in_order_and_spread_over_the_joints():
    assert PACKED.pack({}, 2).tolist() == [1, 2, 3]
    assert PACKED.pack({}, 4).tolist() == [1, 2, 2, 3, 3]  # the default list belongs to no arm
    assert PACKED.pack({"a": 5, "b": 7}, 3).tolist() == [5, 7, 7, 7]


@pytest.mark.parametrize(
    ("values", "joints", "words"),
    [
        ({"b": [2.0, 3.0]}, 3, "m: b: wrong number of values"),
        ({"a": [1, 2]}, 2, "a: wrong kind of value; found .1, 2."),
    ],
    ids=["two for three joints", "two for one"],
)
def test_wrong_numbers_of_values_are_not_packed(values, joints, words):
    with refused(words):
        PACKED.pack(values, joints)


def test_a_method_imports_what_lies_beside_it_under_a_name_of_its_own(tmp_path):
    """And nothing that hides a module of another program; afterwards the folder is not looked at any more."""
    (tmp_path / "torques_of_mine.py").write_text("LARGEST = 7.0\n")
    (tmp_path / "numpy.py").write_text("raise SystemExit('hidden')\n")
    threshold = 'Parameter("threshold", torques_of_mine.LARGEST'
    source = DETECTOR.replace('Parameter("threshold", 5.0', threshold)
    (tmp_path / "mine.py").write_text(f"import numpy\nimport torques_of_mine\n{source}")
    path = list(sys.path)
    method = find_method("detector", "mine.py:METHOD", tmp_path)
    assert method.parameters[0].default == 7.0
    assert sys.path == path


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in KINDS for name in method_names(kind)]
)
def test_a_method_stays_inside_its_arrays(kind, name):
    """Each is called some periods long; also by the tests that check every index."""
    method, arm = find_method(kind, name), load_arm("ur5_full")
    n = len(arm.dh)
    sensed, work, tau, wrench, rng = (
        make_sensed(n),
        make_work(n),
        np.zeros(n),
        np.zeros(6),
        np.random.default_rng(1),
    )
    given = {p.name: 100.0 for p in method.parameters if p.of_arm is not None}
    memory, parameters = np.zeros(method.memory(n)), method.pack(given, n)
    for k in range(8):
        for array in (*sensed, *((tau, wrench) if kind == "detector" else ())):
            array[:] = rng.normal(size=array.shape)
        sensed.time[0] = 0.5 * k  # past the time in which a sensor is zeroed
        update_frames(arm, sensed.q, work)
        update_tool_position(arm, work)
        given = (tau,) if kind == "controller" else (tau, wrench)
        told = method.kernel(arm, sensed, parameters, memory, work, *given)
        assert np.isfinite([told, *tau, *wrench]).all()


@pytest.mark.kernel
def test_a_kernel_that_counts_references_does_not_free_the_parameters():
    """A method of a user's own that allocates is such a kernel; the unpacking step counts none."""
    unpack = unpacker(Parameter("threshold", 1.0, 0.0, 9.0, "N·m", "of each joint", per_joint=True))

    @kernel
    def total(parameters):
        threshold = unpack(parameters).threshold
        return (threshold * np.ones(threshold.size)).sum()

    parameters = np.arange(1.0, 7.0)
    before = sys.getrefcount(parameters)
    assert {total(parameters) for _ in range(1000)} == {21.0}
    assert sys.getrefcount(parameters) == before
