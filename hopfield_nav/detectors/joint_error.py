"""Force estimate from the joint error, J^-T M(q) K0 (q - q_ref) (ragazzon2012 (5.8))."""
from hopfield_nav.plugin import Method, Parameter


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    return 0


METHOD = Method(
    kind="estimator",
    name="joint_error",
    kernel=estimate,
    parameters=(
        Parameter("omega", 1.0, 1e-3, 1e4, "rad/s", "the controller's natural frequencies",
                  per_joint=True, inherit=True),
        Parameter("singular_damping", 1e-3, 0.0, 1.0, "m³",
                  "|det J| below which the wrench estimate is damped"),
    ),
    description="J^-T M K0 q~ from the joint error (ragazzon2012 (5.8))",
)
