"""No estimate: nothing is ever felt."""

from hopfield_nav.plugin import Method


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    """Write zeros: the arm feels nothing."""
    tau_external[:] = 0.0
    wrench[:] = 0.0
    return 0


METHOD = Method(kind="estimator", name="none", kernel=estimate, description="nothing is felt")
