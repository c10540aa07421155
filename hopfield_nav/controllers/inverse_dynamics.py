"""Inverse-dynamics control with critically damped joints (ragazzon2012 chapter 4)."""
from hopfield_nav.plugin import Method, Parameter


def control(model, sensed, parameters, memory, work, tau):
    return 0


METHOD = Method(
    kind="controller",
    name="inverse_dynamics",
    kernel=control,
    parameters=(
        Parameter("omega", (22.5, 22.5, 37.5, 60.0, 67.5, 75.0), 1e-3, 1e4, "rad/s",
                  "natural frequency of each joint", per_joint=True),
    ),
    description="inverse dynamics with critically damped joints (ragazzon2012 chapter 4)",
)
