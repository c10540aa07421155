"""The rows on activation functions and on the norm of (5.9): a part of what they count, again."""

import numpy as np
import pytest
from ragazzon2012 import activation_functions as study
from ragazzon2012.contact import AS_PRINTED, RIGHT
from ragazzon2012.experiment import run


@pytest.mark.parametrize("name", study.SLOPES)
def test_fates_are_those_kept(name):
    np.testing.assert_array_equal(
        [study.fates(name, seed) for seed in range(5)], study.fates_of_maps(name)[:5]
    )


def test_what_lights_nothing_always_arrives():
    """Below one over the number of neighbours and with g(0) = 0 there are no false maxima."""
    for name in study.SLOPES:
        near, arrives, shortest, apart, lit = study.fates_of_maps(name).sum(axis=0)
        assert shortest <= arrives <= near
        assert (arrives == near) == (lit == 0) == (name in ("linear", "tanh"))
        assert lit in (0, apart)


@pytest.mark.parametrize("name", [AS_PRINTED, RIGHT])
def test_the_norm_depends_on_the_unit_of_length(name):
    """At a detection the six numbers have the norm of the threshold in N·m, where moments hardly count."""
    force, moment = study.parts_at_detections(run(name))
    threshold = run(name).world.detection.parameters["threshold"]
    both, centimetres = np.hypot(force, moment), np.hypot(force, study.CENTIMETRES * moment)
    assert ((both > 0.99 * threshold) & (both < 1.06 * threshold)).all()
    np.testing.assert_allclose(both, force, rtol=1e-3)
    assert centimetres.max() > 1.2 * both.max()
