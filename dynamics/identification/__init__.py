"""Identifying an arm's dynamics from its logs (madsen2020): from the regressor to an arm file."""

from dynamics.identification.base_count import base_parameter_count
from dynamics.identification.base_formulas import base_formulas
from dynamics.identification.base_parameters import (
    BaseParameters,
    RankUnclear,
    base_parameters,
    base_regressor,
)
from dynamics.identification.consistent_fit import (
    ConsistentFit,
    NoConsistentFit,
    consistent_fit,
    smallest_eigenvalue,
)
from dynamics.identification.coverage import Coverage, Experiment, coverage
from dynamics.identification.excitation import (
    Excitation,
    Limits,
    NoExcitation,
    excite,
    limits_of,
    within_limits,
)
from dynamics.identification.filtering import decimate, derivatives, motion, zero_phase
from dynamics.identification.fourier import FourierTrajectory
from dynamics.identification.identify import Identification, identify
from dynamics.identification.least_squares import Estimate, autocorrelation, ordinary, weighted
from dynamics.identification.logs import Log, as_log
from dynamics.identification.observations import Options, friction_columns, observations
from dynamics.identification.parameters import arm_with_parameters, parameter_names, parameters_of
from dynamics.identification.regressor import regressor
from dynamics.identification.validation import Comparison, cad_error, compare, nmse, simulated_log

__all__ = [
    "BaseParameters",
    "Comparison",
    "ConsistentFit",
    "Coverage",
    "Estimate",
    "Excitation",
    "Experiment",
    "FourierTrajectory",
    "Identification",
    "Limits",
    "Log",
    "NoConsistentFit",
    "NoExcitation",
    "Options",
    "RankUnclear",
    "arm_with_parameters",
    "as_log",
    "autocorrelation",
    "base_formulas",
    "base_parameter_count",
    "base_parameters",
    "base_regressor",
    "cad_error",
    "compare",
    "consistent_fit",
    "coverage",
    "decimate",
    "derivatives",
    "excite",
    "friction_columns",
    "identify",
    "limits_of",
    "motion",
    "nmse",
    "observations",
    "ordinary",
    "parameter_names",
    "parameters_of",
    "regressor",
    "simulated_log",
    "smallest_eigenvalue",
    "weighted",
    "within_limits",
    "zero_phase",
]
