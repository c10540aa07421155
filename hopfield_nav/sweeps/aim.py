"""What a sweep is to find: the setting with the least of a quantity while others keep to conditions.

``aim: {least: peak_contact_force_N, while: {reached: ">= 0.95", simulated_time_s: "<= 1.1 least"}}``
"""

import math
import operator
import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema

from dynamics import BadInput
from hopfield_nav.world import Section, Text

REACHED = "reached"  # the share of a setting's runs that arrive, and not through an obstacle
_FORMS = "'<= 0', '>= 0.95', '<= 1.1 least', with <, <=, > or >="
_TESTS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?"
_CONDITION = re.compile(rf"\s*(<=|>=|<|>)\s*({_NUMBER})?\s*(least)?\s*")


@dataclass(frozen=True)
class Condition:
    """What the mean of a quantity over a setting's runs must keep to."""

    quantity: str
    sign: str  # <, <=, > or >=
    number: float
    of_least: bool  # whether the number multiplies the smallest mean of the settings that keep all else

    def keeps(self, mean: Any, least: float) -> Any:
        """Whether means, numbers or arrays, keep to it; what is NaN does not."""
        return _TESTS[self.sign](mean, self.number * least if self.of_least else self.number)

    def __str__(self) -> str:
        """As in a sweep file."""
        return f"{self.quantity} {self.sign} {self.number:g}{' least' if self.of_least else ''}"


def _limit(text: object) -> tuple[str, float, bool]:
    """Sign, number, and whether it is of the least."""
    match = _CONDITION.fullmatch(text) if isinstance(text, str) else None
    if match is None or not (match[2] or match[3]) or not math.isfinite(float(match[2] or 1)):
        raise BadInput("no condition", found=text, allowed=_FORMS)
    return match[1], float(match[2] or 1), bool(match[3])


_Limit = Annotated[tuple[str, float, bool], PlainValidator(_limit), WithJsonSchema({"type": "string"})]


class Aim(Section):
    """The least of a quantity, and what holds meanwhile."""

    least: Text = Field(description="quantity of which the best setting has the least mean")
    while_: dict[str, _Limit] | None = Field(None, alias="while", description=f"by quantity: {_FORMS}")

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What holds meanwhile, in the order of the file."""
        return tuple(Condition(name, *limit) for name, limit in (self.while_ or {}).items())

    @property
    def names(self) -> tuple[str, ...]:
        """The quantities that it names, each once."""
        return tuple(dict.fromkeys([self.least, *(condition.quantity for condition in self.conditions)]))

    def __str__(self) -> str:
        """In words."""
        return f"least {self.least}" + (f" while {', '.join(map(str, self.conditions))}" if self.conditions else "")
