"""How a path is chosen: attempts in turn, each less careful than the one before, until one of them settles it.

What is known blocks for good, and so do facts, and last legs and tool's lines that were touched. All else that was felt
has a certainty. A level c closes every cell and likely place of which more than c is believed: an attempt takes its
smallest level that leaves a path and, at that level, the shortest path, however long. Touched steps have no levels: an
attempt closes all of them, or facts alone.

``ATTEMPTS`` are in their order, ``choose_path`` makes them. The path of each comes from ``search``, over cells and
steps that are proven free of what is known.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.search import CellPath, Exits, Query, Search

LEVELS = numbers.CERTAINTY_LEVELS
NO_RISK, LEAST_RISK, ANY_RISK = LEVELS[:1], LEVELS[1:], LEVELS[-1:]


class Attempt(NamedTuple):
    """A search for a path."""

    name: str
    # where it may end: at the nearest centres of lines alone; of goals and lines; at all near
    ends: Literal["line", "near", "all"]
    past: Literal["touched", "facts"]  # which steps it keeps closed: all that were touched, or facts alone
    # certainties of cells and places against which it may lead; ``past`` alone decides of touched steps
    risks: tuple[float, ...]
    # a path that risks no more is taken at once, so every path at 1; another is kept, in case no later one is found
    settles: float = 1.0
    is_needed: bool = False  # whether the search ends where this attempt finds no path


ATTEMPTS = (
    Attempt("onto the tool's line, against no doubt", "line", "touched", NO_RISK),
    Attempt("to the nearest centres, against no doubt", "near", "touched", NO_RISK),
    Attempt("to the nearest centres, against the least doubt", "near", "touched", LEAST_RISK, numbers.EVEN_CHANCE),
    Attempt("whether facts leave any path", "all", "facts", ANY_RISK, settles=0.0, is_needed=True),
    Attempt("to more centres, against no doubt", "all", "touched", NO_RISK),
    Attempt("to more centres, against the least doubt", "all", "touched", LEAST_RISK),
    Attempt("over touched steps, against no doubt", "all", "facts", NO_RISK),
    Attempt("over touched steps, against the least doubt", "all", "facts", LEAST_RISK),
)


class Choice(NamedTuple):
    """The path that was chosen."""

    path: CellPath
    attempt: Attempt  # that found it
    risk: float  # certainty against which it leads; 1 over touched steps


def choose_path(search: Search, query: Query) -> Choice | None:
    """The path of the first attempt that settles it, else of the last that found one.

    None: facts, and last legs and lines that were touched, leave none. An attempt over touched steps is made only
    while there is no path past them, and none is made twice. A path is not kept where an attempt from more centres,
    against as much doubt, gives up (``Search.shortest``).
    """
    kept, made = None, list[tuple[Exits, str, tuple[float, ...]]]()
    for attempt in ATTEMPTS:
        exits, levels = search.exits(query.left_out, attempt.ends), attempt.risks
        this, past = (exits, attempt.past, levels), None if kept is None else kept.attempt.past
        if not exits or this in made or (past == "touched" and attempt.past == "facts"):
            continue
        made.append(this)
        is_bounded = kept is not None and past == attempt.past and kept.risk in levels
        if kept is not None and is_bounded:  # what is kept risks the largest level at which this one has to ask
            levels = levels[: levels.index(kept.risk) + 1]
        closed = set(query.beliefs.doubted()) if attempt.past == "touched" else query.beliefs.facts
        path, risk = _least(partial(search.shortest, query, exits, closed), levels, is_bounded)
        if path is None and attempt.is_needed:
            return None
        choice = None if path is None else Choice(path, attempt, risk if attempt.past == "touched" else 1.0)
        if choice is not None and choice.risk <= attempt.settles:
            return choice
        kept = choice if is_bounded else choice or kept
    return kept


def _least(
    below: Callable[[float], CellPath | None], levels: tuple[float, ...], is_bounded: bool
) -> tuple[CellPath | None, float]:
    """By halving: the path that risks the least of some levels, and that level.

    ``is_bounded``: an earlier attempt showed that the last of them leaves a path, so it is not asked first.
    """
    low, high = 0, len(levels) - 1
    best = None if is_bounded else below(levels[high])
    while (best is not None or is_bounded) and low < high:
        middle = (low + high) // 2
        path = below(levels[middle])
        best, low, high = (best, middle + 1, high) if path is None else (path, low, middle)
    return best or (below(levels[high]) if is_bounded else None), levels[high]
