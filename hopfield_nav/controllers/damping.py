"""The damping law of ragazzon2012 3.3: tau = -K(t) qd, with K falling linearly from start to end."""
from hopfield_nav.plugin import Method, Parameter


def control(model, sensed, parameters, memory, work, tau):
    return 0


METHOD = Method(
    kind="controller",
    name="damping",
    kernel=control,
    parameters=(
        Parameter("gain_start", 1.0, 0.0, 1e4, "N·m·s/rad", "K at time 0"),
        Parameter("gain_end", 0.02, 0.0, 1e4, "N·m·s/rad", "K from gain_time on"),
        Parameter("gain_time", 9.8, 1e-9, 1e6, "s", "time at which K reaches gain_end"),
    ),
    description="pure damping, tau = -K(t) qd (ragazzon2012 3.3.1)",
)
