"""The errors of both packages: one base class, and messages that fit on one line."""

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

_LONGEST = 4000  # characters of a message
_LONGEST_PLACE = 400


class HopfieldNavError(Exception):
    """Base class of every error that this project raises on purpose."""


class BadInput(HopfieldNavError, ValueError):
    """Input that cannot be used: what is wrong, where, what was found, what is allowed.

    Args:
        what: the fault in a few words, for instance "unknown key".
        where: file, line and key, as far as they are known.
        found: the value that was found.
        allowed: what would be accepted, in words.
        nearest: the known name closest to the one found, as a suggestion.

    Attributes:
        others: what else is wrong with the same file, as far as it was looked for.
    """

    others: "tuple[BadInput, ...]" = ()

    def __init__(
        self,
        what: str,
        where: str = "",
        found: object = None,
        allowed: str = "",
        nearest: str | None = None,
    ) -> None:
        self.what, self.where, self.found = what, where, found
        self.allowed, self.nearest = allowed, nearest
        super().__init__(self._message())

    def at(self, where: str) -> "BadInput":
        """The same fault, said of another place."""
        return BadInput(self.what, where, self.found, self.allowed, self.nearest)

    def _message(self) -> str:
        where = printable(" ".join(self.where.split()), _LONGEST_PLACE)
        parts = [f"{where}: {self.what}" if where else self.what]
        if self.found is not None:
            parts.append(f"found {_short(self.found)}")
        if self.allowed:
            parts.append(f"allowed: {self.allowed}")
        message = "; ".join(parts)
        if self.nearest:
            message += f". Did you mean {self.nearest!r}?"
        return printable(" ".join(message.split()))


@contextmanager
def told(what: str, where: object, allowed: str = "") -> Iterator[None]:
    """An error of the operating system becomes ``BadInput``.

    What could not be done, why, and where.
    """
    try:
        yield
    except OSError as error:
        raise BadInput(f"{what}: {error.strerror or error}", str(where), allowed=allowed) from error


class LibraryMissing(BadInput):
    """A library that only some things need is not installed."""


@contextmanager
def needs_library(what: str, extra: str, where: str = "") -> Iterator[None]:
    """An import that fails becomes ``LibraryMissing``.

    What needs the library, and the extra that has it.
    """
    try:
        yield
    except ImportError:
        raise LibraryMissing(what, where, allowed=f"pip install 'hopfield-nav[{extra}]'") from None


class NoClosedForm(HopfieldNavError):
    """The arm has no closed-form inverse kinematics; use the numeric one."""


_MISTAKEN_UNIT = {
    "m": "millimetres",
    "rad": "degrees",
    "s": "milliseconds",
    "m/s": "millimetres a second",
    "rad/s": "degrees a second",
}


def check_range(
    value: float, low: float, high: float, unit: str, *, above: bool = False, where: str = ""
) -> float:
    """``value`` itself when it lies in ``low`` … ``high`` [``unit``].

    With ``above`` not at ``low`` itself.

    Raises ``BadInput``: it does not, or is NaN; above the range the message asks about the usual
    mistaken unit.
    """
    if low <= value <= high and not (above and value == low):
        return value
    lowest = f"above {low:.6g}, at most" if above else f"{low:.6g} to"
    mistaken = _MISTAKEN_UNIT.get(unit) if abs(value) > high else None
    hint = f" (is this in {mistaken}?)" if mistaken else ""
    allowed = f"{lowest} {high:.6g}" + (f" {unit}{hint}" if unit not in ("", "1") else "")
    raise BadInput("out of range", where=where, found=value, allowed=allowed)


def printable(text: str, longest: int = _LONGEST) -> str:
    r"""Text from anywhere as one line that is safe to print, of so many characters at most.

    What is not printable is written as its escape, as in ``\x1b``: newlines, control characters and
    what turns the direction of writing, by which a text could forge a line or command the terminal,
    and the halves of characters that stand for bytes of a file name which are no text.
    """
    begin = text[: longest + 1]
    if not begin.isprintable():
        begin = "".join(
            c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in begin
        )
    return begin if len(begin) <= longest else begin[: longest - 1] + "…"


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name closest to ``name``, or None when none is close."""
    matches = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.55)
    return matches[0] if matches else None


def require_known(name: object, known: Iterable[str], what: str, where: str = "") -> None:
    """Refuse a name that is not among those known.

    Raises ``BadInput``: ``what`` is wrong ``where``, the known names, and the one closest to this.
    """
    names = list(known)
    if not isinstance(name, str) or name not in names:
        raise BadInput(
            what,
            where=where,
            found=name,
            allowed=", ".join(names),
            nearest=nearest_name(str(name), names),
        )


def _short(value: object, limit: int = 80) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python writes whole numbers of up to 4300 digits
        text = "a number of too many digits"
    return text if len(text) <= limit else text[: limit - 1] + "…"
