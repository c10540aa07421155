"""Fields that an arm's controller offers, their types, and packing rows of them.

Names and types are those of the maker's guide to the interface (Universal Robots, "Real-Time Data
Exchange").
"""

import math
import struct
from collections.abc import Mapping, Sequence

import numpy as np

from dynamics import BadInput

TYPES = {  # name: (letter of struct, how many)
    "BOOL": ("?", 1), "UINT8": ("B", 1), "UINT32": ("I", 1), "UINT64": ("Q", 1), "INT32": ("i", 1),
    "DOUBLE": ("d", 1), "VECTOR3D": ("d", 3), "VECTOR6D": ("d", 6), "VECTOR6INT32": ("i", 6),
    "VECTOR6UINT32": ("I", 6),
}  # fmt: skip
NOT_FOUND = "NOT_FOUND"
_BY_TYPE = {
    "DOUBLE": "timestamp actual_execution_time speed_scaling target_speed_fraction actual_momentum "
    "actual_main_voltage actual_robot_voltage actual_robot_current standard_analog_input0 "
    "standard_analog_input1 standard_analog_output0 standard_analog_output1 io_current payload",
    "VECTOR6D": "target_q target_qd target_qdd target_current target_moment actual_q actual_qd "
    "actual_current joint_control_output actual_TCP_pose actual_TCP_speed actual_TCP_force target_TCP_pose "
    "target_TCP_speed joint_temperatures actual_joint_voltage payload_inertia ft_raw_wrench tcp_offset",
    "VECTOR3D": "actual_tool_accelerometer elbow_position elbow_velocity payload_cog",
    "INT32": "robot_mode safety_mode safety_status",
    "VECTOR6INT32": "joint_mode",
    "UINT32": "runtime_state robot_status_bits safety_status_bits script_control_line",
    "UINT64": "actual_digital_input_bits actual_digital_output_bits",
}
FIELDS = {
    **{name: kind for kind, names in _BY_TYPE.items() for name in names.split()},
    **{f"output_int_register_{k}": "INT32" for k in range(48)},
    **{f"output_double_register_{k}": "DOUBLE" for k in range(48)},
}
ROBOT_MODES = {
    -1: "no controller", 0: "disconnected", 1: "confirm safety", 2: "booting", 3: "power off", 4: "power on",
    5: "idle", 6: "backdrive", 7: "running", 8: "updating",
}  # fmt: skip
SAFETY_MODES = {
    1: "normal", 2: "reduced", 3: "protective stop", 4: "recovery", 5: "safeguard stop",
    6: "emergency stop of the system", 7: "emergency stop of the robot", 8: "violation", 9: "fault",
    10: "validate joint", 11: "undefined",
}  # fmt: skip
RUNTIME_STATES = {
    0: "stopping",
    1: "stopped",
    2: "playing",
    3: "pausing",
    4: "paused",
    5: "resuming",
}
RUNNING, NORMAL, PLAYING = 7, 1, 2
JOINT_RUNNING = 253


class Recipe:
    """What data packages hold, in order: fields ``names`` of ``types``, keys of ``TYPES``.

    They begin with ``number``. ``columns`` are those of ``unpack``'s row, by field.

    Raises ``BadInput``: names and types do not fit.
    """

    def __init__(self, number: int, names: tuple[str, ...], types: tuple[str, ...]) -> None:
        if len(names) != len(types) or not names:
            allowed = f"{len(names)} types, not none"
            raise BadInput("types and names do not fit", found=len(types), allowed=allowed)
        self.number, self.names, self.types = number, names, types
        self.columns: dict[str, slice] = {}
        start, letters = 0, ">B"
        for name, kind in zip(names, types, strict=True):
            if kind not in TYPES:
                raise BadInput("no such type", where=name, found=kind, allowed=", ".join(TYPES))
            letter, count = TYPES[kind]
            self.columns[name] = slice(start, start + count)
            start += count
            letters += letter * count
        self._packing = struct.Struct(letters)

    def pack(self, row: Sequence[float]) -> bytes:
        """Payload of a data package from the numbers of a row, whole ones where the type asks for them."""
        return self._packing.pack(self.number, *row)

    def unpack(self, payload: bytes) -> np.ndarray:
        """Numbers of a data package, float64."""
        if len(payload) != self._packing.size:
            allowed = str(self._packing.size)
            raise BadInput("a data package of another length", found=len(payload), allowed=allowed)
        number, *values = self._packing.unpack(payload)
        if number != self.number:
            raise BadInput(
                "a data package of another recipe", found=number, allowed=str(self.number)
            )
        return np.array(values, dtype=np.float64)

    def row(self, values: Mapping[str, np.ndarray]) -> list[float]:
        """Numbers of every field in order, from its values by name."""
        row: list[float] = []
        for name, kind in zip(self.names, self.types, strict=True):
            numbers = values[name].tolist()
            row += (
                numbers
                if TYPES[kind][0] == "d"
                else [round(x) if math.isfinite(x) else 0 for x in numbers]
            )
        return row
