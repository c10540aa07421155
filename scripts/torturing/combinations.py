"""Random combinations of features, and what a record says of them held against kinematics and geometry of its own.

Three oracles: a run that is ``reached`` is there by forward kinematics written here; the same seed
gives the same bytes; and what the record calls closed for sure (certainty 1) is closed in truth
(``torturing.truths``).
"""

import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from dynamics import HopfieldNavError
from hopfield_nav import simulate
from hopfield_nav.record import Run
from hopfield_nav.world import World, load_world, yaml_text
from torturing.trials import Trials
from torturing.truths import open_steps, tool_at, tool_place

_HERE = Path(__file__).resolve().parents[2]
_UR = ("ur5_ragazzon2012", "ur5_full", "ur5e", "ur5_tu2023", "ur5_kebria2016")
_SEVEN = ("panda", "iiwa7_gripper")
_RETOLD = 3  # every so many trials are run twice


def combinations(place: Path, count: int, first: int, time_limit: float) -> Trials:
    """Worlds in which features of every kind meet; some chosen by changes, some handed on to a second run."""
    place.mkdir(parents=True, exist_ok=True)
    for number in range(first, first + count):
        yield f"combination {number}", lambda number=number: _try(place, number, time_limit)


def _try(place: Path, number: int, time_limit: float) -> None:
    world, dice = drawn(place, number, time_limit)
    runs = [simulate(world)]
    if number % _RETOLD == 0:
        assert _bytes(runs[0], place) == _bytes(simulate(world), place), (
            "other bytes the second time"
        )
    if dice.random() < 0.25:
        runs.append(_handed_on(world, runs[0], dice))
    for k, run in enumerate(runs):
        said = "" if k == 0 else "handed on: "
        assert run.outcome != "internal_error", said + run.summary["reason"]
        assert not (wrong := faults_of(run)), said + "; ".join(wrong)


def faults_of(run: Run) -> list[str]:
    """What a record says that is not so."""
    found = []
    if run.outcome != "diverged":
        names = ("q", "qd", "tau", "force", "tool_position")
        found += [
            f"NaN in {name}" for name in names if not np.isfinite(run.data[name].values).all()
        ]
    if run.outcome == "reached":
        found += _not_there(run)
    if "closed_step" in run.data and run.outcome != "diverged":
        found += open_steps(run)
    return found


def _not_there(run: Run) -> list[str]:
    """Whether the tool is where ``reached`` and the summary say, by kinematics of its own; at the last row kept."""
    assert run.world.goal is not None
    off = float(np.linalg.norm(tool_at(run.world, run.data.q.values[-1]) - tool_place(run.world)))
    told, most = run.summary["final_tool_error_m"], run.world.goal.tolerance
    moved = np.linalg.norm(np.diff(run.data.tool_position.values[-4:], axis=0), axis=1)
    between = 2.0 * moved.max(initial=0.0) + 1e-5  # after the last row that was kept
    if abs(off - told) > between:
        return [
            f"reached: {off:.5f} m from the goal by other kinematics, {told:.5f} m in the summary"
        ]
    if off > most + between and "is sensed within" not in run.summary["reason"]:
        return [f"reached: {off:.5f} m from the goal, tolerance {most:g} m, without a word"]
    return []


def _bytes(run: Run, place: Path) -> bytes:
    with tempfile.TemporaryDirectory(dir=place) as folder:
        return (run.save(Path(folder) / "run") / "log.nc").read_bytes()


def _handed_on(world: World, felt: Run, dice: random.Random) -> Run:
    """A second run with another goal, or without some of the obstacles."""
    if dice.random() < 0.3:
        return simulate(world.with_changes(obstacles=world.obstacles[1:]), felt=felt)
    arm = _UR[0] if len(world.start.joints) == 6 else _SEVEN[0]
    other = _goal(dice, world.map.space == "joints", arm, world.map.rank)
    try:
        return simulate(load_world(yaml.safe_load(world.to_yaml()) | {"goal": other}), felt=felt)
    except HopfieldNavError:
        return felt


def drawn(place: Path, number: int, time_limit: float) -> tuple[World, random.Random]:
    """The world of a number, and the dice after it."""
    dice = random.Random(number)
    data = _data(dice, place, time_limit)
    file = place / f"combination_{number}.yaml"
    file.write_text(yaml_text(data), encoding="utf-8")
    return load_world(file, _changes(dice, data["map"]), allow_code=True), dice


def _changes(dice: random.Random, grid: dict[str, Any]) -> dict[str, Any]:
    """What ``--set`` would change: another method, whose keys go with the old one."""
    of_tool = "space" not in grid
    options: list[dict[str, Any]] = [
        {
            "detection.measure": dice.choice(
                ["joint_torque", "persistent_joint_torque", *["force_norm"] * of_tool]
            )
        },
        {
            "detection.estimator": dice.choice(
                ["momentum_observer", "disturbance_observer", "joint_error"]
            )
        },
        {"controller.law": dice.choice(["inverse_dynamics", "computed_torque"])},
        {"explore.method": "follow"} if of_tool else {"planner.strategy": "optimist"},
        {"planner.network": "sum"} if of_tool else {"start.joints.5": 0.1},
    ]
    return dice.choice(options) if dice.random() < 0.3 else {}


def _maybe(dice: random.Random, share: float, data: dict[str, Any]) -> dict[str, Any]:
    return data if dice.random() < share else {}


def _data(dice: random.Random, place: Path, time_limit: float) -> dict[str, Any]:
    joints, seven = dice.random() < 0.4, dice.random() < 0.15
    space = not joints and not seven and dice.random() < 0.4
    arm = dice.choice(_SEVEN if seven else _UR)
    name = arm if dice.random() < 0.8 else _copied(arm, place)
    engine = dice.choice(["internal"] * 6 + ["mujoco", "flexible"])
    step = dice.choice([0.001, 0.001, 0.002])
    rank = 3 if space else 2
    data: dict[str, Any] = {
        "format": 1, "arm": name, "seed": dice.randrange(1000), "time_limit": time_limit,
        "plant": {"engine": engine, "step": step}
        | _maybe(dice, 0.2, {"integrator": "semi_implicit_euler"})
        | _maybe(dice, 0.1, {"torque_ripple": {"amplitude": 0.3}})
        | (_maybe(dice, 0.2, {"friction": {"coulomb": 1.0, "viscous": 0.5}}) if arm == "ur5_full" else {}),
        "contact": {"stiffness": 10 ** dice.uniform(4.3, 5.3), "friction": dice.choice([0, 0, 0.3])}
        | _maybe(dice, 0.2, {"damping": dice.uniform(1, 50)})
        | _maybe(dice, 0.4, {"bodies": "arm"}),
        "obstacles": _obstacles(dice, joints or space),
        "planner": _planner(dice, joints),
        "map": _map(dice, joints, seven, rank),
        "detection": _detection(dice, joints),
        "controller": _controller(dice, seven, step, engine),
        "sensors": dice.choice([{}, {}, {}, {"velocity_noise": 1e-4}, {"encoder_resolution": 1e-5}]),
        "goal": _goal(dice, joints, arm, rank),
        "record": {"every": dice.choice([1, 1, 5])},
    }  # fmt: skip
    if data["detection"]["estimator"] == "wrist_sensor":
        data["sensors"]["wrench"] = {}
        data["detection"]["measure"] = "force_norm" if not joints else "adaptive_joint_torque"
    if not joints:
        step_by_step = "radius" not in data["planner"]
        data["explore"] = (
            dice.choice(["replan", "replan", "follow", "slide"]) if step_by_step else "replan"
        )
        data |= _maybe(dice, 0.2, {"trajectory": {"tool_rotation": "free"}})
        data |= {"start": {"position": [0.42, -0.05]}} if seven else {}
    else:
        data |= _maybe(dice, 0.3, {"known": [{"floor": {"height": -0.03}}]} if not seven else {})
    data |= _maybe(dice, 0.2, {"tool": {"payload": {"mass": 1.0, "center_of_mass": [0, 0, 0.03]}}})
    if dice.random() < 0.1 and not seven:
        data["tool"] = {"frame": {"position": [0.0, 0.01, 0.08]}}
    if engine == "internal" and dice.random() < 0.1:
        data["pushes"] = [{"link": 4, "times": [2.0, 2.3], "force": [0, 0, 30]}]
    return data


def _copied(arm: str, place: Path) -> str:
    """An arm file of the user's own, with the numbers of one that comes along."""
    (place / f"my_{arm}.yaml").write_text(
        (_HERE / "dynamics" / "arms" / f"{arm}.yaml").read_text("utf-8"), "utf-8"
    )
    return f"my_{arm}.yaml"


def _map(dice: random.Random, joints: bool, seven: bool, rank: int) -> dict[str, Any]:
    if joints:
        return {"space": "joints"} | (
            {} if seven else _maybe(dice, 0.5, {"shape": [24, 12, 16, 8, 1, 1]})
        )
    if seven:
        return {"origin": [0.35, -0.3, 0.3], "spacing": 0.025, "shape": [12, 25]}
    if rank == 3:
        return {"origin": [0.16, -0.28, -0.04], "spacing": 0.04, "shape": [13, 15, 6]}
    return dice.choice([{}, {"spacing": 0.0526, "shape": [10, 10]}])


def _goal(dice: random.Random, joints: bool, arm: str, rank: int) -> dict[str, Any]:
    if not joints:
        if arm in _SEVEN:
            return {"position": [0.575, dice.uniform(-0.1, 0.15)]}
        flat = [dice.uniform(0.45, 0.6), dice.uniform(-0.15, 0.15)]
        return {"position": flat + ([dice.uniform(-0.02, 0.12)] if rank == 3 else [])}
    if arm in _SEVEN:
        return {
            "position": [dice.uniform(0.4, 0.5), dice.uniform(-0.2, 0.2), dice.uniform(0.3, 0.5)]
        }
    return {
        "position": [dice.uniform(0.45, 0.6), dice.uniform(-0.15, 0.15), dice.uniform(0.0, 0.15)]
    }


def _obstacles(dice: random.Random, high: bool) -> list[dict[str, Any]]:
    def place() -> list[float]:
        return [round(dice.uniform(0.36, 0.55), 4), round(dice.uniform(-0.2, 0.2), 4)]

    def height() -> float:
        return round(dice.uniform(0.0, 0.3), 3) if high else 0.0

    kinds = [
        lambda: {"cylinder": {"center": place(), "radius": dice.uniform(0.01, 0.04), "height": [-0.3, 0.1 + height()]}},
        lambda: {"sphere": {"center": [*place(), height()], "radius": dice.uniform(0.02, 0.06)}},
        lambda: {"box": {"center": [*place(), height()], "size": [0.05, dice.uniform(0.05, 0.2), 0.15],
                         "rotation": [0, 0, dice.uniform(0, 1)]}},
        lambda: {"wall": {"from": place(), "to": place(), "radius": 0.02}},
        lambda: {"random_cylinders": {"count": 5, "radius": [0.01, 0.03], "clearance": 0.05}},
        lambda: {"random_scene": {"family": dice.choice(["solids", "shelf", "pipes"]), "clearance": 0.03}},
    ]  # fmt: skip
    return [dice.choice(kinds[: 5 + high])() for _ in range(dice.randrange(1, 5))]


def _planner(dice: random.Random, joints: bool) -> dict[str, Any]:
    if joints:
        strategy = dice.choice(["felt_points", "felt_points", "optimist", "omniscient"])
        return (
            {"strategy": strategy}
            | _maybe(dice, 0.2, {"finer": False})
            | _maybe(dice, 0.2, {"any_angle": False})
        )
    return {"network": dice.choice(["limit", "sum"])} | _maybe(dice, 0.2, {"radius": 2})


def _detection(dice: random.Random, joints: bool) -> dict[str, Any]:
    others = ["joint_torque", "energy", "high_pass_joint_torque", "persistent_joint_torque"]
    measure = dice.choice(
        ["adaptive_joint_torque"] * 4 + (others if joints else [*others, "force_norm"])
    )
    estimator = dice.choice(
        ["momentum_observer"] * 4
        + ["joint_error", "disturbance_observer", "wrist_sensor", "tracking_error"]
    )
    return (
        {"measure": measure, "estimator": estimator}
        | _maybe(dice, 0.4, {"reaction": dice.choice(["stop", "float"])})
        | (_maybe(dice, 0.1, {"mark": dice.choice(["actual", "desired"])}) if not joints else {})
        | _maybe(dice, 0.1, {"episodes": False})
        | _maybe(dice, 0.2, {"lag": 0.02})
    )


def _controller(dice: random.Random, seven: bool, step: float, engine: str) -> dict[str, Any]:
    law = dice.choice(["inverse_dynamics"] * 2 + ["computed_torque"])
    data: dict[str, Any] = {"law": law}
    if law == "inverse_dynamics":
        data |= _maybe(dice, 0.5, {"damping_ratio": dice.choice([0.7, 1.0, 1.3])})
        data |= {"omega": 20} if seven or engine == "flexible" else {}
    else:
        omega = dice.uniform(15, 30)
        data |= {"proportional": omega**2, "derivative": 2 * omega * dice.uniform(0.7, 1.3)}
    data |= _maybe(dice, 0.15, {"period": 2 * step, "delay": 2 * step})
    data |= _maybe(dice, 0.1, {"learn": True})
    return data | _maybe(dice, 0.15, {"model_error": {"mass_scale": dice.choice([0.95, 1.05])}})
