"""One touch is one collision: the rule that turns levels into alarms, on scripted contacts.

A scripted contact is a list of instants: where the reference is along the force's direction, its
speed there, the external torque, and the level. The force pushes joint 1 to larger angles.
"""

from __future__ import annotations

import numpy as np
import pytest

from hopfield_nav.control import AlarmRule, make_alarm, make_belief, pass_by, raise_alarm
from hopfield_nav.plugin import make_sensed

PERIOD = 0.01
ALONG, ACROSS = np.eye(6)[0], np.eye(6)[1]


def alarms(instants, episodes=True, leg=1.0, rearm=0.5, passes=False):
    """Numbers of the instants (position, speed, torque, level) at which a collision is detected.

    ``passes``: the arm passes by what it touches instead of going back.
    """
    rule, alarm, sensed, belief = (
        AlarmRule(rearm, 0.0, episodes, 0.0),
        make_alarm(6),
        make_sensed(6),
        make_belief(6),
    )
    found, begun = [], 0.0
    for k, (position, speed, torque, level) in enumerate(instants):
        sensed.time[0] = k * PERIOD
        sensed.q_ref[0], sensed.qd_ref[0] = position, speed
        belief.tau_external[:], belief.now.level = torque, level
        if raise_alarm(rule, alarm, sensed, belief, sensed.time[0] - begun, leg, False):
            found.append(k)
            begun = sensed.time[0]
            if passes:
                pass_by(alarm)
    return found


def retreat(levels, torques=None, turn=4):
    """The reference goes on for ``turn`` instants, then comes back at the same speed."""
    count = len(levels)
    depth = [-float(min(k, 2 * turn - k)) for k in range(count)]
    speed = [-1.0 if k < turn else 1.0 for k in range(count)]
    torques = [level * ALONG for level in levels] if torques is None else torques
    return list(zip(depth, speed, torques, levels, strict=True))


CLIMBS = [1.2, 2.5, 4.0, 6.0, 7.0, 5.0, 3.0, 1.5, 0.8, 0.3, 0.2, 0.1]


def test_a_level_that_climbs_while_the_reference_still_goes_deeper_is_one_collision():
    assert alarms(retreat(CLIMBS)) == [0]
    # each further threshold was a collision
    assert len(alarms(retreat(CLIMBS), episodes=False)) > 2


def test_chatter_before_the_reference_is_back_is_one_collision():
    chatter = [1.2, 3.0, 0.1, 2.8, 0.2, 2.9, 0.1, 2.0, 0.3, 0.2, 0.1]
    assert alarms(retreat(chatter)) == [0]
    assert len(alarms(retreat(chatter), episodes=False)) > 2


def test_the_next_touch_after_the_reference_is_back_is_a_collision():
    assert alarms(retreat([*CLIMBS, 0.1, 1.3, 2.0])) == [0, 13]


def test_growth_after_the_reference_is_back_is_a_collision_even_if_the_level_never_fell_to_rearm():
    """A wrong model may keep the level up: then a rise by a whole threshold is something new."""
    held = [1.2, 2.5, 4.0, 6.0, 7.0, 5.0, 3.0, 1.5, 0.9, 0.8, 0.8, 1.5, 1.7, 1.9]
    assert alarms(retreat(held)) == [0, 13]  # above 0.8 + 1


@pytest.mark.parametrize(
    ("turned", "level", "fires"),
    [
        (-2.0 * ALONG, 2.7, True),
        (2.0 * ACROSS, 2.7, True),
        (0.9 * ALONG + 2.0 * ACROSS, 2.7, True),  # 66° off
        (2.0 * ALONG + 0.9 * ACROSS, 2.7, False),  # 24°
        (-2.0 * ALONG, 2.4, False),  # no whole threshold above the 1.5 before
    ],
)
def test_growth_in_another_direction_is_felt_at_once_during_the_retreat(turned, level, fires):
    levels = [1.2, 2.5, 3.0, 1.5, 1.5, level, level]
    torques = [*([v * ALONG for v in levels[:5]]), turned, turned]
    assert alarms(retreat(levels, torques)) == ([0, 5] if fires else [0])


def test_an_arm_thrown_between_two_obstacles_touches_two():
    """Each push is from another side than the last one, but only the second is from a new side."""
    sides = [1.2 * ACROSS, 3.0 * ACROSS, 1.2 * ACROSS, 1.0 * ACROSS]
    thrown = 2 * [-3.0 * ACROSS] + 2 * [-0.5 * ACROSS] + 2 * [3.0 * ACROSS] + 2 * [0.5 * ACROSS]
    between = [*sides, *4 * thrown]
    assert alarms(_moving_on(between), leg=10.0) == [0, 4]
    third = [*between, 0.5 * ACROSS, 4.0 * ALONG]
    assert alarms(_moving_on(third), leg=10.0) == [0, 4, len(third) - 1]


def _moving_on(torques):
    """Along joint 1; the level is the largest torque."""
    return [
        (-float(k), -1.0, torque, float(np.abs(torque).max())) for k, torque in enumerate(torques)
    ]


def test_a_level_that_swings_from_one_period_to_the_next_is_one_collision():
    """A slow controller against a stiff obstacle."""
    swings = [*CLIMBS[:8], *6 * [0.9, 2.2]]
    assert alarms(retreat(swings)) == [0]
    grows = [*swings, 0.9, 3.3]
    assert alarms(retreat(grows)) == [0, len(grows) - 1]  # a threshold above the 2.2 of before
    slowly = [*CLIMBS[:8], *3 * [0.9, 0.9, 2.2, 2.2]]
    assert alarms(retreat(slowly))[:2] == [0, 10]  # no swing of single periods


@pytest.mark.parametrize(("level", "fires"), [(1.25, True), (1.15, False)])
def test_a_load_that_the_model_has_wrong_does_not_hide_the_next_touch(level, fires):
    """The level stays at 0.7, above ``rearm``; what comes is felt half a threshold above that."""
    held = [*CLIMBS[:8], *[0.7] * 12]
    assert alarms(retreat([*held, level])) == ([0, len(held)] if fires else [0])
    soon = [*CLIMBS[:8], *[0.7] * 4]
    assert alarms(retreat([*soon, level])) == [0]  # nothing is known to be over yet
    rises = [*CLIMBS[:8], *np.linspace(0.7, 0.95, 12), level]
    assert alarms(retreat(rises)) == [0]  # not steady


def test_without_a_load_the_threshold_is_as_before():
    held = [*CLIMBS[:8], *[0.7] * 12, 0.3, 1.15]
    assert alarms(retreat(held)) == [0, len(held) - 1]


def test_friction_that_changes_its_sign_is_nothing_new():
    """At the alarm most of the torque is what the model has wrong, and turns with the arm."""
    error, push = 0.9 * ACROSS, np.array([0.3, 2.0, 3.0, 2.0, 1.0, 0.2])[:, None] * ALONG
    torques = [*(push[:3] - error), *(push[3:] + error)]
    assert alarms(retreat([1.1, 2.2, 3.1, 2.3, 1.4, 1.3], torques)) == [0]


def test_a_reference_that_turns_into_the_obstacle_again_does_not_hide_it():
    """It comes back half-way only, then presses on: growth counts from there."""
    depth = [0, -1, -2, -3, -2, -2.5, -3, -4, -5]
    speed = [-1, -1, -1, 1, 1, -1, -1, -1, -1]
    levels = [1.2, 3, 5, 4, 3, 3.2, 3.6, 4.5, 6]
    instants = list(zip(depth, speed, [level * ALONG for level in levels], levels, strict=True))
    assert alarms(instants) == [0, 7]


def test_a_path_that_never_retreats_is_trusted_for_a_part_of_its_first_leg():
    levels = [1.2, 1.5, 1.8, 2.1, 2.4, 2.7, 3.0, 3.3, 3.6, 3.9, 4.2, 4.5, 4.8]
    pressing = [(-float(k), -1.0, level * ALONG, level) for k, level in enumerate(levels)]
    # 3.0 is a threshold above the 1.8 at 0.6 of the leg
    assert alarms(pressing, leg=0.05) == [0, 6, 12]
    assert alarms(pressing, leg=10.0) == [0]


def test_an_arm_that_answers_nothing_arms_again_when_the_contact_is_over():
    """In a log without answers the reference never comes back; 0.1 s of calm end the contact."""
    quiet = [0.1] * 11
    levels = [1.2, 2.0, 1.0, *quiet, 1.2]
    passing = [(-float(k), -1.0, level * ALONG, level) for k, level in enumerate(levels)]
    assert alarms(passing) == [0, 14]
    short = [1.2, 2.0, 1.0, *quiet[:5], 1.2]
    assert alarms([(-float(k), -1.0, level * ALONG, level) for k, level in enumerate(short)]) == [0]


def test_without_an_estimate_the_reference_s_own_motion_says_what_retreat_is():
    levels = [*CLIMBS, 0.1, 1.3]
    nothing = [np.zeros(6)] * len(levels)
    assert alarms(retreat(levels, nothing)) == [0, 13]


SLIDES = [1.2, 1.9, 2.1, 1.5, 0.4, 1.8, 0.3, 2.0, 0.2, *[0.1] * 11, 1.1]


@pytest.mark.parametrize(
    ("levels", "found"),
    [
        # chatter is one graze, what comes after 0.1 s of calm the next
        (SLIDES, [0, len(SLIDES) - 1]),
        # a threshold above the 1.2 at the alarm
        ([1.2, 1.9, 2.1, 1.5, 0.4, 1.8, 2.3, 2.4], [0, 6]),
    ],
)
def test_what_is_passed_by_is_felt_again_when_the_force_grows_by_a_threshold(levels, found):
    sliding = [(-float(k), -1.0, level * ACROSS, level) for k, level in enumerate(levels)]
    assert alarms(sliding, leg=10.0, passes=True) == found


def test_what_is_passed_by_does_not_hide_what_is_met_next():
    """Something in another direction is felt at its own threshold."""
    levels = [1.2, 1.5, 0.8, 0.4, 0.4, 1.0, 1.5]
    torques = [*([v * ACROSS for v in levels[:5]]), 1.0 * ALONG, 1.5 * ALONG]
    sliding = [
        (-float(k), -1.0, t, level)
        for k, (t, level) in enumerate(zip(torques, levels, strict=True))
    ]
    assert alarms(sliding, leg=10.0, passes=True) == [0, 6]


def test_behind_the_leg_that_was_passed_growth_counts_from_the_lowest_level():
    """A wrong model may keep the level up: what is met later must not hide behind the graze."""
    levels = [1.4, 1.0, 0.7, 0.7, 0.7, 0.7, 1.5, 1.8]
    sliding = [(-float(k), -1.0, level * ACROSS, level) for k, level in enumerate(levels)]
    assert alarms(sliding, leg=0.04, passes=True) == [0, 7]  # above 0.7 + 1
    assert alarms(sliding, leg=10.0, passes=True) == [0]
