"""Why the loop has returned to whoever decides how to go on."""

from enum import IntEnum


class Event(IntEnum):
    """What ended a call of the loop.

    Attributes:
        NONE: nothing has happened, and the state may advance.
        HORIZON: the step is reached to which it was to go on.
        DETECTED: a collision is detected.
        ARRIVED: the tool is at its goal.
        DIVERGED: a joint has exploded.
        LOG_FULL: there is no room for the next row.
    """

    NONE = -1
    HORIZON = 0
    DETECTED = 1
    ARRIVED = 2
    DIVERGED = 3
    LOG_FULL = 4
