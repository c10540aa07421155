"""What an outcome ``no_path`` rests on."""

from enum import StrEnum


class Grade(StrEnum):
    """What an outcome ``no_path`` rests on; ``record.GRADES`` has the same words."""

    FACTS = "facts"  # felt facts and known things alone
    PROBABLE = "probable"  # belief, with a bound of its error
    DOUBTFUL = "doubtful"  # belief without a bound, or touches that may have been none
    EXCLUDED = "excluded"  # the arm does not reach cells that a path would need
    PLANNER = "planner"  # the planner gave up, which says nothing of a way
