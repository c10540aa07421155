"""What a force and torque sensor at the flange feels, at the tool point and in base axes.

Its readings come with the payload taken off (``control.sensors``). What is left at the start,
offset and all that the model has wrong of the payload in this pose, is taken for zero, as users of
such sensors do: the mean over the first ``zero`` seconds, in flange axes, during which nothing is
felt. A drift remains. ``tau_external`` is J^T F: what a contact of the links before the flange puts
on the joints is not known.
"""

from dynamics.kinematics import add_wrench_torque
from hopfield_nav.plugin import WRIST, Method, Parameter, unpacker

# places in the memory, and how many they are
STARTED = 0
START = 1
COUNT = 2
SUM = 3
SIZE = 9
ZERO = Parameter(
    "zero",
    0.1,
    0.0,
    10.0,
    "s",
    "time from the start over which the reading is taken for zero; 0: it is not",
)
unpack = unpacker(ZERO)


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    """Write the measured wrench less its zero, and J^T times it; zeros while the zero is taken."""
    p = unpack(parameters)
    if memory[STARTED] == 0.0:
        memory[STARTED] = 1.0
        memory[START] = sensed.time[0]
    zeroing = sensed.time[0] - memory[START] < p.zero
    if zeroing:
        memory[COUNT] += 1.0
        for k in range(6):
            memory[SUM + k] += sensed.wrench[k]
    share = 1.0 / memory[COUNT] if memory[COUNT] > 0.0 else 0.0
    last = work.rotation.shape[0]
    turn, origin = work.rotation[last - 1], work.origin[last]
    tool = work.tool
    for k in range(3):
        force = 0.0
        moment = 0.0
        for j in range(3):
            force += turn[k, j] * (sensed.wrench[j] - share * memory[SUM + j])
            moment += turn[k, j] * (sensed.wrench[3 + j] - share * memory[SUM + 3 + j])
        wrench[k] = 0.0 if zeroing else force
        wrench[3 + k] = 0.0 if zeroing else moment
    rx, ry, rz = origin[0] - tool[0, 3], origin[1] - tool[1, 3], origin[2] - tool[2, 3]
    wrench[3] += ry * wrench[2] - rz * wrench[1]
    wrench[4] += rz * wrench[0] - rx * wrench[2]
    wrench[5] += rx * wrench[1] - ry * wrench[0]
    for i in range(tau_external.size):
        tau_external[i] = 0.0
    add_wrench_torque(work, wrench, tau_external)
    return 0


METHOD = Method(
    "estimator", "wrist_sensor", estimate, unpack.declared, lambda n: SIZE,
    description="force and torque sensor at the flange, its zero taken at the start", needs=WRIST,
)  # fmt: skip
