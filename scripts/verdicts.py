"""The one rule by which a row of the ledger gets its verdict."""

import numpy as np

REPRODUCED, PARTLY, REFUTED, UNCHECKABLE = "reproduced", "in part", "refuted", "cannot be checked"
VERDICTS = (REPRODUCED, PARTLY, REFUTED, UNCHECKABLE)
MOST, FEW = 0.9, 0.1  # shares of our values in a printed range
RULE = """\
- **reproduced**: ours agrees with everything that is printed. A number agrees to the printed digits, or to
  1 % if it was measured; a range agrees if at least nine tenths of our values lie in it; a bound if every
  value keeps it; a statement if it is true in every case that was tried.
- **in part**: the direction of a change agrees and its size does not; or between a tenth and nine tenths of
  our values lie in the range; or the statement is true under a condition that the document does not give.
  The remark says which.
- **refuted**: a printed number or formula differs by more than that; or at most a tenth of our values lie
  in the range; or one case contradicts a statement that is meant for all cases.
- **cannot be checked**: what is printed is lost, or depends on something that the document does not say.
  Ours stands beside it without a verdict.
"""


def verdict(agrees: bool | str | None) -> str:
    """A comparison in words: whether ours agrees with what is printed; ``PARTLY``; None if nothing can be compared.

    Raises ``ValueError``: any other word.
    """
    if isinstance(agrees, str) and agrees != PARTLY:
        raise ValueError(f"{agrees!r} is neither true nor false nor {PARTLY!r}")
    words = {True: REPRODUCED, False: REFUTED, None: UNCHECKABLE}
    return agrees if isinstance(agrees, str) else words[None if agrees is None else bool(agrees)]


def in_range(found: np.ndarray, low: float, high: float) -> bool | str:
    """Whether our values lie in a printed range, by their share."""
    share = float(np.mean((found >= low) & (found <= high)))
    return True if share >= MOST else False if share <= FEW else PARTLY


def same_direction(same: bool, same_size: bool) -> bool | str:
    """Of a printed change: in part where the direction alone agrees."""
    return False if not same else True if same_size else PARTLY
