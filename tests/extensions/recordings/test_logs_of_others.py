"""Logs of other people: names in another order, late and uneven stamps, wrapped angles, lost rows, odd tables."""

from __future__ import annotations

import re

import numpy as np
import pytest
from refusals import refused, refused_by_command

from dynamics import inverse_dynamics, load_arm
from dynamics.files import write_urdf
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.recordings import fit_motors, load_recording, open_log
from hopfield_nav.extensions.recordings.opened import in_order_of, uses_of

ARM = load_arm("ur5e")
NAMES = (
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "elbow_joint",
    "wrist_1_joint",
    "wrist_2_joint",
    "wrist_3_joint",
)
ALPHABETICAL = [2, 1, 0, 3, 4, 5]
RATES = 2 * np.pi * np.array([0.10, 0.15, 0.20, 0.30, 0.35, 0.13])
SIZES, MIDDLE = np.array([0.8, 0.4, 0.5, 0.6, 0.7, 1.0]), np.array([0.2, -1.3, 1.2, -0.8, 0.9, 2.6])
HEAD = "time," + ",".join(f"{name}{k}" for name in ("pos", "vel", "eff") for k in range(1, 7))


def motion(time):
    """Angles, speeds and accelerations; joint 6 passes through π."""
    turn = np.outer(time, RATES)
    return (
        MIDDLE + SIZES * np.sin(turn),
        SIZES * RATES * np.cos(turn),
        -SIZES * RATES**2 * np.sin(turn),
    )


def table(time, noise=0.05):
    q, qd, qdd = motion(time)
    rng = np.random.default_rng(0)
    return np.column_stack(
        [time, q, qd, inverse_dynamics(ARM, q, qd, qdd) + rng.normal(0, noise, q.shape)]
    )


def written(
    folder, rows, text="", edit=lambda text: text, columns="q: pos*\nqd: vel*\neffort: eff*\n"
):
    """A table and its description."""
    lines = "\n".join([HEAD, *(",".join(f"{value:.9g}" for value in row) for row in rows)]) + "\n"
    (folder / "log.csv").write_text(edit(lines))
    (folder / "log.yaml").write_text(f"format: 1\nfile: log.csv\n{text}{columns}")
    return folder / "log.yaml"


def bag(folder, order, names=NAMES, spoil=None):
    """Joint states as a driver publishes them, in some order of its joints."""
    import shutil

    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    state, head, stamp = (
        store.types[t]
        for t in (
            "sensor_msgs/msg/JointState",
            "std_msgs/msg/Header",
            "builtin_interfaces/msg/Time",
        )
    )
    time, *signals = np.split(table(np.arange(0, 4, 0.01)), [1, 7, 13], axis=1)
    signals = [np.ascontiguousarray(values[:, order]) for values in signals]
    if spoil is not None:
        spoil(signals)
    shutil.rmtree(folder, ignore_errors=True)
    with Writer(folder, version=9) as writer:
        topic = writer.add_connection(
            "/joint_states", "sensor_msgs/msg/JointState", typestore=store
        )
        for k, nanoseconds in enumerate(np.round(1e9 * time[:, 0]).astype(int) + 10**12):
            header = head(stamp(int(nanoseconds // 10**9), int(nanoseconds % 10**9)), "")
            values = dict(
                zip(("position", "velocity", "effort"), (v[k] for v in signals), strict=True)
            )
            message = state(header=header, name=[names[i] for i in order], **values)
            writer.write(
                topic, int(nanoseconds), store.serialize_cdr(message, "sensor_msgs/msg/JointState")
            )
    return folder


def ordered(path, names=NAMES, count=6):
    return open_log(path).of(names, count).data


# whose joint is which column


@pytest.mark.parametrize(
    "names", [NAMES, [f"robot1_{name}" for name in NAMES]], ids=["as they are", "with a prefix"]
)
def test_a_bag_in_alphabetical_order_is_put_in_the_order_of_the_arm(tmp_path, names):
    data = ordered(bag(tmp_path / "bag", ALPHABETICAL, names))
    np.testing.assert_allclose(data.q.values, motion(data.time.values)[0], atol=1e-7)
    assert data.joints.startswith("by name")
    assert data.joints.index("pan") < data.joints.index("elbow")
    np.testing.assert_array_equal(data.joint.values, np.arange(1, 7))


def test_the_names_of_urs_drivers_are_known_for_an_arm_with_others_and_other_orders_are_said_to_be_assumed(
    tmp_path,
):
    log = bag(tmp_path / "bag", ALPHABETICAL)
    for names in ((), [f"joint_{k}" for k in range(1, 7)]):
        data = ordered(log, names)
        np.testing.assert_allclose(data.q.values, motion(data.time.values)[0], atol=1e-7)
    data = ordered(bag(tmp_path / "other", ALPHABETICAL, list("abcdef")))
    np.testing.assert_allclose(data.q.values[:, 2], motion(data.time.values)[0][:, 0], atol=1e-7)
    assert data.joints == "c, b, a, d, e, f, assumed to be in the order of the arm"


def test_a_joint_that_the_log_lacks_is_named_and_others_than_the_arms_are_left(tmp_path):
    with refused("no joint wrist_4_joint; found 'elbow_joint, .*Did you mean 'wrist_3_joint'"):
        ordered(bag(tmp_path / "bag", ALPHABETICAL), (*NAMES[:5], "wrist_4_joint"))
    data = ordered(tmp_path / "bag", NAMES[1:], 5)
    np.testing.assert_allclose(data.q.values, motion(data.time.values)[0][:, 1:], atol=1e-7)
    assert "not used: shoulder_pan_joint" in data.joints


def test_what_a_driver_does_not_measure_is_no_signal_and_no_joint_of_the_arm(tmp_path):
    """Drivers without torques publish NaN in their place, and NaN for a gripper alone."""

    def no_torque(signals):
        signals[2][:] = np.nan

    def no_speed_of_one(signals):
        signals[1][:, 2] = np.nan

    assert "effort" not in load_recording(bag(tmp_path / "a", range(6), spoil=no_torque))
    data = ordered(bag(tmp_path / "b", range(6), spoil=no_speed_of_one), (), 5)
    assert data.joint_names == ", ".join(np.delete(NAMES, 2))


def test_columns_named_by_their_joints_are_matched_too(tmp_path):
    def rename(text):
        for k in range(6):
            text = text.replace(f"pos{k + 1},", f"{NAMES[ALPHABETICAL[k]]}.pos,")
        return text

    rows = table(np.arange(0, 4, 0.01))
    rows[:, 1:7] = rows[:, 1:7][:, ALPHABETICAL]
    data = ordered(written(tmp_path, rows, edit=rename, columns='q: "*.pos"\n'))
    np.testing.assert_allclose(data.q.values, motion(data.time.values)[0], atol=1e-7)


# the clock


def test_stamps_that_are_only_late_go_on_an_even_clock(tmp_path):
    time = np.arange(0, 8, 0.002)
    late = np.maximum.accumulate(
        time + np.abs(np.random.default_rng(1).normal(0, 0.0008, len(time)))
    )
    rows = table(time)
    rows[:, 0] = late
    data = load_recording(written(tmp_path, rows))
    assert data.sizes["time"] == len(time)
    np.testing.assert_allclose(np.diff(data.time.values), 0.002, rtol=1e-4)
    assert re.fullmatch(
        r"500 Hz, stamped up to \d\.\d+ ms off an even clock, on which it is put, even steps",
        data.clock,
    )
    assert data.gap_count == 0


def test_stamps_of_uneven_steps_are_those_at_which_rows_were_taken(tmp_path):
    time = np.cumsum(np.random.default_rng(1).choice([0.010, 0.012], 800))
    data = load_recording(written(tmp_path, table(time)))
    np.testing.assert_allclose(data.time.values, time - time[0], atol=1e-8)
    assert "steps of 10 to 12 ms" in data.clock


def test_identification_interpolates_uneven_steps_and_puts_the_parts_between_gaps_together(
    tmp_path, capsys
):
    """The true model is as good on 10 and 12 ms mixed, with a gap, as on even steps: 12 N·m without interpolation."""
    write_urdf(ARM, tmp_path / "ur5e.urdf")
    uneven = np.cumsum(np.random.default_rng(1).choice([0.010, 0.012], 2000))
    found, times = (
        {},
        {
            "even": 0.011 * np.arange(2000),
            "uneven": uneven,
            "gap": np.delete(uneven, range(800, 900)),
        },
    )
    for name, time in times.items():
        log = written(tmp_path, table(time))
        words = [
            "--arm",
            str(tmp_path / "ur5e.urdf"),
            "--bandwidth",
            "8",
            "--keep",
            "--out",
            str(tmp_path / f"{name}.yaml"),
        ]
        assert main(["identify", str(log), *words]) == 0
        printed = capsys.readouterr().out
        found[name] = float(re.search(r"([0-9.e-]+) N·m as given", printed)[1])
    assert found["uneven"] == pytest.approx(found["even"], rel=0.15)
    assert found["gap"] == pytest.approx(found["even"], rel=0.15)
    assert len(re.findall(r"\d+\.\d\d–\d+\.\d\d s", printed)) == 2
    assert "1 gaps, the longest" in printed


def test_a_rate_too_low_names_the_option(tmp_path, capsys):
    log = written(tmp_path, table(np.arange(0, 20, 0.02)))
    words = ["identify", str(log), "--arm", "ur5e", "--out", str(tmp_path / "a.yaml")]
    refused_by_command(capsys, words, "or a smaller bandwidth (--bandwidth)")


# angles that wrap, rows that were lost


def test_angles_that_wrap_are_unwrapped_and_said(tmp_path):
    rows = table(np.arange(0, 8, 0.002))
    rows[:, 1:7] = (rows[:, 1:7] + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(np.diff(rows[:, 6])).max() > 6.0
    data = load_recording(written(tmp_path, rows, columns="q: pos*\nq_ref: pos*\neffort: eff*\n"))
    np.testing.assert_allclose(data.q.values, motion(data.time.values)[0], atol=1e-7)
    np.testing.assert_array_equal(data.q.values, data.q_ref.values)
    assert "q, q_ref unwrapped at ±π" in data.clock


@pytest.mark.parametrize("what", ["nan", "", "0"])
def test_a_row_that_was_lost_is_named_and_left_out(tmp_path, what):
    time = np.arange(0, 4, 0.002)

    def lose(text):
        lines = text.split("\n")
        for row in (0, 700, 1500):
            lines[1 + row] = f"{time[row]:.9g}" + f",{what}" * 18
        return "\n".join(lines)

    data = load_recording(written(tmp_path, table(time), edit=lose))
    assert (data.sizes["time"], data.dropped_rows) == (len(time) - 3, 3)
    assert data.left_out == "3 rows without numbers, or of zeros (at 0, 1.4, 3 s)"
    assert np.abs(data.effort.values).min() > 0.0


def test_an_arm_that_rests_at_zero_is_not_lost(tmp_path):
    rows = table(np.arange(0, 4, 0.002))
    rows[:, 1:] = np.where(rows[:, :1] < 1.0, 0.0, 1e-3 * (rows[:, 1:] - rows[500, 1:]))
    assert load_recording(written(tmp_path, rows)).dropped_rows == 0


def test_one_number_that_is_missing_is_still_refused(tmp_path):
    rows = table(np.arange(0, 4, 0.002))
    rows[300, 4] = np.nan
    with refused("log.csv, line 302: not a finite number"):
        load_recording(written(tmp_path, rows))


# tables


ROWS = table(np.arange(0, 1, 0.01))


def test_a_table_may_quote_its_values_and_have_empty_lines(tmp_path):
    def quote(text):
        return (
            "\n\n".join(
                ",".join(f'"{field}"' for field in line.split(","))
                for line in text.strip().split("\n")
            )
            + "\n"
        )

    plain, quoted = (load_recording(written(tmp_path, ROWS, edit=edit)) for edit in (str, quote))
    assert plain.identical(quoted)


def test_columns_of_a_table_without_a_header_are_numbers(tmp_path):
    def bare(text):
        return text.split("\n", 1)[1]

    with refused(
        "no column 'pos[*]': the table has no header; allowed: columns by number in a description, 1 to 19"
    ):
        load_recording(written(tmp_path, ROWS, edit=bare))
    columns = "time: {columns: 1}\nq: {columns: [2, 3, 4, 5, 6, 7]}\neffort: {columns: [14, 15, 16, 17, 18, 19]}\n"
    data = load_recording(written(tmp_path, ROWS, edit=bare, columns=columns))
    np.testing.assert_allclose(data.q.values, ROWS[:, 1:7], rtol=1e-8)
    np.testing.assert_allclose(data.effort.values, ROWS[:, 13:], rtol=1e-8)
    assert data.columns == "time of 1, q of 2 … 7, effort of 14 … 19"


def test_a_decimal_comma_is_hinted_at(tmp_path):
    edit = lambda text: text.replace(",", ";").replace(".", ",")  # noqa: E731
    with refused(
        "line 2: not a finite number; found '0,2'; allowed: numbers with a decimal point, as 0.2"
    ):
        load_recording(written(tmp_path, ROWS, edit=edit))


@pytest.mark.parametrize(("factor", "unit"), [(1e3, "milli"), (1e6, "micro"), (1e9, "nano")])
def test_the_unit_of_the_time_is_named(tmp_path, factor, unit):
    rows = ROWS.copy()
    rows[:, 0] = rows[:, 0] * factor
    with refused(f"time looks like {unit}seconds"):
        load_recording(written(tmp_path, rows))


def test_what_a_log_is_used_for_is_printed_once(tmp_path, capsys):
    log = written(tmp_path, table(np.arange(0, 20, 0.01)))
    assert main(["replay", str(log), "--arm", "ur5e", "--free-run", str(log)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert (
        printed.count(
            "log log.yaml joints: 1 to 6 as they are numbered; clock: 100 Hz, even steps; columns:"
        )
        == 1
    )
    assert "time of time, q of pos1 … pos6, qd of vel1 … vel6, effort of eff1 … eff6" in printed


def test_in_order_of_takes_runs_as_they_are():
    data = load_recording_like(6)
    assert in_order_of(data, NAMES, 6, "here").joints == "1 to 6 as they are numbered"
    with refused("another number of joints than the arm; found '6'; allowed: 7"):
        in_order_of(data, (), 7, "here")
    assert uses_of([("a", data)]) == [("log a", "")]


def load_recording_like(n):
    from hopfield_nav.extensions.recordings import label_signals

    return label_signals(np.arange(3) * 0.01, {"q": np.zeros((3, n))}, "made")


# motor constants of an arm whose file has no rotors


@pytest.fixture(scope="module")
def currents():
    """Free motion of motors of 8 N·m/A with rotors and friction, and the arm with its rotors."""
    from hopfield_nav.extensions.recordings import label_signals

    arm, time, rng = load_arm("ur5_full"), np.arange(0, 40, 0.004), np.random.default_rng(3)
    rates = 2 * np.pi * np.array([0.10, 0.15, 0.20, 0.30, 0.35, 0.23])
    q, qd, qdd = np.tile(MIDDLE, (len(time), 1)), np.zeros((len(time), 6)), np.zeros((len(time), 6))
    for sizes, rate in ((SIZES, rates), (0.2, 2.3 * rates)):
        turn = np.outer(time, rate)
        q, qd, qdd = (
            q + sizes * np.sin(turn),
            qd + sizes * rate * np.cos(turn),
            qdd - sizes * rate**2 * np.sin(turn),
        )
    torque = (
        inverse_dynamics(arm, q, qd, qdd)
        + arm.friction[:, 0] * np.sign(qd)
        + arm.friction[:, 1] * qd
    )
    signals = {"q": q, "qd": qd, "current": torque / 8.0 + rng.normal(0, 0.02, q.shape)}
    return label_signals(time, signals, "made up"), arm


def test_the_rotor_is_fitted_beside_the_constant_or_the_joint_is_said_to_be_unknown(currents):
    """Without, the constants were 4.8, 7.4, 5.5, 11.3, 1.5 and 0.012."""
    data, arm = currents
    fit = fit_motors([data], arm._replace(rotor_inertia=np.zeros(6)))
    np.testing.assert_allclose(fit.motor_constant[:5], 8.0, rtol=0.1)
    assert np.isnan(fit.motor_constant[5])  # nothing is assumed
    assert fit.unknown == [5, 6]
    assert fit.untold == [6]
    assert np.isinf(fit.std[4:, 0]).all()
    np.testing.assert_allclose(fit.rotor[:5], arm.rotor_inertia[:5], rtol=0.1)
    np.testing.assert_allclose(
        fit.on(arm._replace(rotor_inertia=np.zeros(6))).rotor_inertia, fit.rotor
    )
    assert re.search(
        r"^[78]\.\d+ \[.*, about \d\.\d+, unknown N·m/A; joints 5: cannot be told apart from the "
        r"rotor; these logs do not tell joint 6's sign$",
        fit.words(),
    )
    with refused("these logs do not tell joint 6's sign; allowed: --motor-constants, --same-motor"):
        fit.require_known()


def test_a_model_with_its_rotors_or_a_motor_in_common_determines_every_constant(currents):
    data, arm = currents
    known = fit_motors([data], arm)
    assert known.unknown == []
    np.testing.assert_array_equal(known.rotor, 0.0)
    shared = fit_motors([data], arm._replace(rotor_inertia=np.zeros(6)), [(4, 5, 6)])
    assert shared.unknown == []
    for fit in (known, shared):
        np.testing.assert_allclose(fit.motor_constant, 8.0, rtol=0.02)


def test_no_threshold_is_suggested_from_a_constant_that_is_not_known(currents, tmp_path, capsys):
    data, arm = currents
    rows = np.column_stack([data.time, data.q, data.qd, data.current])
    log = written(tmp_path, rows, columns="q: pos*\nqd: vel*\ncurrent: eff*\n")
    write_urdf(arm._replace(rotor_inertia=np.zeros(6)), tmp_path / "bare.urdf")
    words = ["replay", str(log), "--arm", str(tmp_path / "bare.urdf"), "--free-run", str(log)]
    assert main(words) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "suggested nothing; these logs do not tell joint 6's sign" in printed
    assert "cannot be told apart from the rotor" in printed
    assert main([*words, "--same-motor", "4,5,6"]) == 0
    assert "suggested --set threshold=[" in " ".join(capsys.readouterr().out.split())
