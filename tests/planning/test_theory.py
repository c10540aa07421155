"""ragazzon2012 (6.4)-(6.12): the Lyapunov function, one fixed point, and what happens beyond 1/lambda."""

import math

import numpy as np
import pytest
from refusals import refused
from scipy.integrate import quad

from hopfield_nav.planning import iterate, largest_eigenvalue, neighbourhood_of, plan_path
from hopfield_nav.planning.hopfield import activation

pytestmark = pytest.mark.kernel

SHAPE, GOAL = (12, 12), (3, 8)
FUNCTIONS = ["linear", "tanh", "shunting", "saturated", "sigmoid"]


def maze(seed=0, share=0.25):
    blocked = np.random.default_rng(seed).random(SHAPE) < share
    blocked[GOAL] = False
    return blocked


def clamped(sigma, blocked):
    sigma = np.where(blocked, 0.0, sigma)
    sigma[GOAL] = 1.0
    return sigma


def lyapunov(sigma, function, as_printed=False):
    """L(sigma) = -1/2 sum T_ij sigma_i sigma_j + sum G(sigma_i), ragazzon2012 (6.4) with the sign of (6.5).

    The inputs I act on clamped neurons alone, whose terms are constant and left out. ``as_printed``
    has + in place of - before the first sum.
    """
    flat = np.append(sigma.ravel(), 0.0)
    pairs = 0.5 * float(flat[:-1] @ flat[neighbourhood_of(sigma.shape).table].sum(axis=1))
    return (pairs if as_printed else -pairs) + float(function.integral(sigma).sum())


def trace(function, blocked, sigma, sweeps, check=True, as_printed=False):
    """L after each of some synchronous sweeps."""
    found = [lyapunov(sigma, function, as_printed=as_printed)]
    for _ in range(sweeps):
        sigma, _ = iterate(
            blocked, GOAL, function=function, check=check, most_sweeps=1, start=sigma
        )
        found.append(lyapunov(sigma, function, as_printed=as_printed))
    return np.diff(found)


def functions(beta):
    """Those with a slope, each with `beta` as its steepest."""
    slopes = {
        "linear": beta,
        "tanh": beta,
        "shunting": beta,
        "saturated": beta,
        "sigmoid": 4 * beta,
    }
    return {name: activation(name, slope) for name, slope in slopes.items()}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_lyapunov_function_never_increases(name):
    function = functions(0.99 / largest_eigenvalue(neighbourhood_of(SHAPE)))[name]
    rng = np.random.default_rng(1)
    for seed in range(20):
        blocked = maze(seed)
        change = trace(function, blocked, clamped(rng.random(SHAPE), blocked), 40)
        assert change.max() < 1e-12 * 144
        assert change[0] < -0.01


def test_with_the_printed_sign_it_does_increase():
    """(6.4) is printed with +1/2."""
    function = functions(0.99 / largest_eigenvalue(neighbourhood_of(SHAPE)))["linear"]
    rng = np.random.default_rng(1)
    rises = []
    for seed in range(20):
        blocked = maze(seed)
        start = clamped(0.1 * rng.random(SHAPE), blocked)
        rises.append(trace(function, blocked, start, 40, as_printed=True).max())
    assert max(rises) > 0.01


def test_beyond_the_limit_it_may_increase():
    """A faint checkerboard, near the eigenvector of lambda_min: beyond 1/|lambda_min| L rises."""
    board = np.indices(SHAPE).sum(axis=0) % 2
    blocked = np.zeros(SHAPE, dtype=bool)
    start, largest = clamped(0.2 * board, blocked), largest_eigenvalue(neighbourhood_of(SHAPE))
    assert trace(activation("linear", 0.99 / largest), blocked, start, 40).max() < 1e-10
    assert trace(activation("linear", 2.0 / largest), blocked, start, 40, check=False).max() > 1


def test_the_bound_on_the_change_holds():
    """(6.7): Delta L <= -1/2 sum (T_ij + delta_ij/beta) Delta sigma_i Delta sigma_j."""
    beta = 0.9 / largest_eigenvalue(neighbourhood_of(SHAPE))
    function, rng = activation("linear", beta), np.random.default_rng(5)
    for seed in range(20):
        blocked = maze(seed)
        old = clamped(rng.random(SHAPE), blocked)
        new, _ = iterate(blocked, GOAL, function=function, most_sweeps=1, start=old)
        step = new - old
        around = sum(
            np.roll(np.pad(step, 1), d, axis=a)[1:-1, 1:-1] for a in (0, 1) for d in (1, -1)
        )
        bound = -0.5 * (step * (around + step / beta)).sum()
        assert lyapunov(new, function) - lyapunov(old, function) <= bound + 1e-10


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_fixed_point_from_a_hundred_starts(name):
    function = functions(0.9 / largest_eigenvalue(neighbourhood_of(SHAPE)))[name]
    blocked, rng = maze(), np.random.default_rng(2)
    rest, _ = iterate(blocked, GOAL, function=function, most_sweeps=1000)
    for _ in range(100):
        found, _ = iterate(
            blocked, GOAL, function=function, most_sweeps=1000, start=rng.random(SHAPE)
        )
        np.testing.assert_allclose(found, rest, rtol=1e-9, atol=1e-15)


def climbs(sigma, blocked):
    """From how many free cells steepest ascent ends at the goal, and of how many."""
    high = np.pad(sigma, 1)
    ends = []
    for cell in np.argwhere(~blocked & (iterate(blocked, GOAL)[0] > 0)):
        at = tuple(cell)
        for _ in range(sigma.size):
            around = [(at[0] + a, at[1] + b) for a, b in ((0, 1), (0, -1), (1, 0), (-1, 0))]
            best = max(around, key=lambda c: high[c[0] + 1, c[1] + 1])
            if at == GOAL or high[best[0] + 1, best[1] + 1] <= sigma[at]:
                break
            at = best
        ends.append(at == GOAL)
    return sum(ends), len(ends)


def test_beyond_the_limit_cells_saturate_and_the_ascent_stops():
    """The check on beta with and without: what it refuses does go wrong."""
    blocked = maze(share=0.1)
    with refused(r"6\.12"):
        iterate(blocked, GOAL, 0.5)
    wrong, _ = iterate(blocked, GOAL, 0.5, check=False)
    assert (wrong == 1).sum() > 50
    reached, cells = climbs(wrong, blocked)
    assert reached < 0.5 * cells
    right, _ = iterate(blocked, GOAL, 0.24)
    assert (right == 1).sum() == 1
    reached, cells = climbs(right, blocked)
    assert reached == cells > 100


def test_tanh_of_glasius_plans_as_well():
    """g(0) = 0 and a slope below 1/lambda: every cell with a path climbs to the goal."""
    blocked = maze()
    sigma, _ = iterate(blocked, GOAL, function=activation("tanh", 0.2))
    reached, cells = climbs(sigma, blocked)
    assert reached == cells > 50
    cut = blocked.copy()
    cut[6] = True
    assert (iterate(cut, GOAL, function=activation("tanh", 0.2))[0][7:] == 0).all()


def shunting(blocked, goal, decay, upper, lower, strength, reach):
    """Yang and Meng (2000): x' = -A x + (B - x)([I]+ + sum w [x]+) - (D + x)[I]-, w = mu/d, integrated from zero.

    Exponential steps, exact where the neighbours stand still; I is +E at the goal and -E at
    obstacles, E so large that the goal is at B to the last bit.
    """
    shape, strong = blocked.shape, 1e18
    steps = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if 0 < math.hypot(a, b) <= reach]
    excite, inhibit = np.zeros(shape), strong * blocked
    excite[goal], inhibit[goal] = strong, 0.0
    x, before = np.zeros(shape), None
    while before is None or (x != before).any():
        before, light = x, np.pad(np.maximum(x, 0.0), 1)
        total = excite.copy()
        for a, b in steps:
            total += (
                strength
                / math.hypot(a, b)
                * light[1 + a : 1 + a + shape[0], 1 + b : 1 + b + shape[1]]
            )
        rate = decay + total + inhibit
        rest = (upper * total - lower * inhibit) / rate
        x = rest + (x - rest) * np.exp(-rate * 0.5)
    return x


@pytest.mark.parametrize("reach", [1.0, 1.5])
def test_the_equation_of_yang_and_meng_settles_at_the_shunting_network(reach):
    """Their A = 10, B = D = 1, mu = 1 and 0.7: the positive part of their activity is ours of slope B mu/A."""
    decay, upper, lower = 10.0, 1.0, 1.0
    for seed in range(10):
        for strength in (1.0, 0.7):
            blocked = maze(seed)
            theirs = np.maximum(shunting(blocked, GOAL, decay, upper, lower, strength, reach), 0.0)
            function = activation("shunting", upper * strength / decay)
            near = neighbourhood_of(SHAPE, reach)
            ours, _ = iterate(blocked, GOAL, near=near, function=function)
            np.testing.assert_array_equal(ours > 0.0, theirs > 0.0)
            np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-15)
            lit = ours > 0.0
            np.testing.assert_allclose(ours[lit], theirs[lit], rtol=1e-12)


@pytest.mark.parametrize("name", ["linear", "tanh", "shunting"])
def test_the_family_has_no_false_maxima_and_one_equilibrium(name):
    """g(0) = 0, g(v) <= beta v, beta times the sum of the weights at most 1; closed steps are weights of zero."""
    function, rng = activation(name, 0.25), np.random.default_rng(8)
    for seed in range(10):
        blocked = maze(seed)
        closed = np.array([[[k, 4], [k, 5]] for k in range(0, 12, 2)])
        rest, _ = iterate(blocked, GOAL, function=function, closed=closed)
        plans = [plan_path(blocked, cell, GOAL, "sum", 0.25, activation=name, closed=closed)
                 for cell in np.argwhere(~blocked & (rest > 0.0))]  # fmt: skip
        assert all(plan.cells is not None for plan in plans)
        again, _ = iterate(
            blocked,
            GOAL,
            function=function,
            start=rng.random(SHAPE),
            most_sweeps=3000,
            closed=closed,
        )
        np.testing.assert_allclose(again, rest, rtol=1e-9, atol=1e-15)


def test_where_plain_doubles_end_is_said():
    corridor = np.zeros((2, 700), dtype=bool)
    corridor[1] = True
    plan = plan_path(corridor, (0, 699), (0, 0), "sum", 0.1, activation="shunting")
    assert plan.cells is None
    assert "too small for plain doubles" in plan.reason
    assert plan_path(corridor, (0, 250), (0, 0), "sum", 0.1, activation="shunting").length == 250


@pytest.mark.parametrize("name", ["saturated", "sigmoid"])
def test_light_at_rest_hides_the_goal(name):
    """g(0) = 1/2: cells without a path are lit as well, and the ascent may end in an open place."""
    function = activation(name, 0.1)
    sigma, _ = iterate(maze(), GOAL, function=function)
    reached, cells = climbs(sigma, maze())
    assert reached < 0.9 * cells
    blocked = np.zeros(SHAPE, dtype=bool)
    blocked[6] = True
    assert (iterate(blocked, GOAL, function=function)[0][7:] > 0.4).all()


def test_threshold_lights_all():
    blocked = maze()
    with refused("threshold"):
        iterate(blocked, GOAL, function=activation("threshold"))
    sigma, _ = iterate(blocked, GOAL, function=activation("threshold"), check=False)
    np.testing.assert_array_equal(sigma, ~blocked)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("slope", [0.1, 0.7])
def test_integral_is_that_of_the_inverse(name, slope):
    """G of (6.4), by quadrature of the inverse of what one neuron answers."""
    function = activation(name, slope)
    inverse = {
        "linear": lambda s: s / slope,
        "tanh": lambda s: math.atanh(s) / slope,
        "shunting": lambda s: s / (1 - s) / slope,
        "saturated": lambda s: (s - 0.5) / slope,
        "sigmoid": lambda s: math.log(s / (1 - s)) / slope,
    }[name]
    for s in (0.2, 0.5, 0.9):
        assert function.integral(np.array(s)) == pytest.approx(quad(inverse, 0, s)[0], abs=1e-8)
        one = np.array([inverse(s)])
        assert respond_of(function, one) == pytest.approx(s, abs=1e-12)


def respond_of(function, v):
    """g(v) as the network computes it: one free neuron between the goal and a cell of its own."""
    from hopfield_nav.planning.hopfield import respond

    return respond(function.kind, function.slope, float(v[0]))


@pytest.mark.parametrize("name", ["saturated"])
def test_middle_branch_does_not_jump(name):
    """Printed as v, it would jump by 1/2 at both ends."""
    function, small = activation(name, 1.0), 1e-9
    for end in (-0.5, 0.5):
        gap = respond_of(function, np.array([end + small])) - respond_of(
            function, np.array([end - small])
        )
        assert abs(gap) < 3 * small


def test_steepest_slopes():
    v = np.linspace(-8, 8, 160_001)
    for function in functions(0.3).values():
        g = np.array([respond_of(function, [x]) for x in v[::40]])
        assert np.max(np.diff(g) / np.diff(v[::40])) == pytest.approx(function.steepest, rel=2e-3)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_too_steep_is_refused(name):
    blocked = np.zeros((20, 20), dtype=bool)
    function = functions(0.26)[name]
    with refused(r"0\.252824"):
        iterate(blocked, GOAL, function=function)


REFUSED = {
    "an unknown function": (lambda: activation("relu"), "sigmoid"),
    "no slope": (lambda: activation("tanh", 0.0), "positive"),
    "a start of another shape": (
        lambda: iterate(np.zeros((3, 3), dtype=bool), (0, 0), start=np.zeros(9)),
        "differ in shape",
    ),
}


@pytest.mark.parametrize(("call", "words"), REFUSED.values(), ids=REFUSED)
def test_bad_arguments(call, words):
    with refused(words):
        call()
