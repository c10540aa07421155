"""wrench_norm."""
from hopfield_nav.plugin import Method, Parameter


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    return 0.0


METHOD = Method(
    kind="detector",
    name="wrench_norm",
    kernel=detect,
    parameters=(Parameter("threshold", 12.0, 1e-9, 1e6, "N", "f_min of (5.9)"),),
    description="wrench_norm",
)
