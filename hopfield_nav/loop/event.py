"""Why the loop has returned to whoever decides how to go on."""

from enum import IntEnum


class Event(IntEnum):
    """What ended a call of the loop."""

    NONE = -1  # nothing has happened, and the state may advance
    HORIZON = 0  # the step is reached to which it was to go on
    DETECTED = 1  # a collision is detected
    ARRIVED = 2  # the tool is at its goal
    DIVERGED = 3  # a joint has exploded
    LOG_FULL = 4  # there is no room for the next row
