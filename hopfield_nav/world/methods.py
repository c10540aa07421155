"""Inline parameters: a section that names a method also holds the parameters of that method.

``controller: {law: inverse_dynamics, omega: [...]}``: which keys are allowed follows from the law.
Parameters that are left out get the method's default, so that a saved world shows them all.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from pydantic import ConfigDict, ValidationError, ValidationInfo, model_validator

from dynamics import BadInput
from hopfield_nav.plugin import PLAIN, Method, Parameter, is_bundled
from hopfield_nav.world.faults import unknown_key
from hopfield_nav.world.fields import Section, refuse_section
from hopfield_nav.world.trust import Trust


class Gone(NamedTuple):
    """A key that saved records hold and this version has no more, or one of its values."""

    key: str  # of its section
    value: str | None = None  # that is gone; None: the whole key
    instead: str | None = None  # the value that stands for it


def without_gone(section: Mapping[str, Any], gone: Iterable[Gone]) -> dict[str, Any]:
    """The section of a record without what is gone."""
    left = dict(section)
    for key, value, instead in gone:
        if value is None:
            left.pop(key, None)
        elif left.get(key) == value:
            left[key] = instead
    return left


class MethodSection(Section):
    """A section that names methods; their parameters are further keys."""

    model_config = ConfigDict(extra="allow", frozen=True)
    kinds: ClassVar[dict[str, str]] = {}  # of the method that each of these keys names
    gone: ClassVar[tuple[Gone, ...]] = ()  # what records of earlier versions hold

    @model_validator(mode="wrap")
    @classmethod
    def _with_parameters(
        cls, section: Any, handler: Callable[[Any], Self], info: ValidationInfo
    ) -> Self:
        """The section with the parameters of its methods checked, and completed by their defaults."""
        faults = list[BadInput]()
        if isinstance(section, Mapping):
            context = info.context or {}
            if context.get("trust", Trust()).record:
                section = without_gone(section, cls.gone)
            section = {**section, **cls._values(section, context, faults)}
        try:
            made = handler(section)
        except ValidationError as error:
            refuse_section(faults, error)
            raise
        refuse_section(faults)
        return made

    @classmethod
    def _values(
        cls, section: Mapping[str, Any], context: Mapping[str, Any], faults: list[BadInput]
    ) -> dict[str, float | tuple[float, ...] | None]:
        """The values of all parameters, given or by default; what is wrong with the section's keys is added.

        None stands for one that follows from the arm.
        """
        trust = context.get("trust", Trust())
        named = [(cls.kinds[key], name) for key, name in cls.named(section).items()]
        methods, known = cls._found(section, context.get("folder"), trust, faults)
        parameters = own_parameters(methods)
        of_sensors = {p.name for method in methods for p in method.parameters if p.of_sensors}
        for name in sorted(parameters.keys() & {*cls.model_fields, *of_sensors}):
            what = "a parameter of your method has the name of a key of this section, or of sensors"
            faults.append(BadInput(what, where=name, found=name, allowed="any other name"))
        own = [key for key in section if key not in cls.model_fields and key not in parameters]
        as_recorded = not all(
            trust.looks_into(kind, name) for kind, name in named if isinstance(name, str)
        )
        if as_recorded:
            anything = -math.inf, math.inf, "1", "as recorded"  # of methods that nobody looks into
            parameters |= {key: Parameter(key, 0.0, *anything, per_joint=True) for key in own}
        elif known:
            allowed = [*cls.model_fields, *parameters]
            faults += (unknown_key(key, allowed, where=key) for key in own)
        values = dict[str, float | tuple[float, ...] | None]()
        for name, parameter in parameters.items():
            value = section.get(name, parameter.default)
            if value is None and (parameter.of_arm is not None or (as_recorded and name in own)):
                values[name] = None
                continue
            try:
                values[name] = parameter.check(value)
            except BadInput as error:
                faults.append(error)
        return values

    @classmethod
    def _found(
        cls, section: Mapping[str, Any], folder: Path | None, trust: Trust, faults: list[BadInput]
    ) -> tuple[list[Method], bool]:
        """The methods that may be looked into, and whether that are all, so that any other key is unknown.

        The parameters of one in plain Python that comes with the program are keys of the section
        itself.
        """
        methods, known = list[Method](), True
        for key, name in cls.named(section).items():
            kind, default = cls.kinds[key], cls.model_fields[key].default
            if not isinstance(name, str):
                known = False  # its own fault says so
            elif trust.looks_into(kind, name) and not (
                kind in PLAIN and (name == default or is_bundled(kind, name))
            ):
                try:
                    methods.append(trust.find(kind, name, folder))
                except BadInput as error:
                    faults.append(error.at(key))
                    known = False
        return methods, known

    @classmethod
    def named(cls, section: Mapping[str, Any]) -> dict[str, Any]:
        """What plain data of the section names as its methods, by key."""
        return {key: section.get(key, cls.model_fields[key].default) for key in cls.kinds}

    @classmethod
    def own_keys(
        cls, section: Mapping[str, Any], folder: Path, trust: Trust
    ) -> dict[str, Parameter] | None:
        """The keys of the methods that plain data of a section names; None where one of them is not known."""
        methods, known = cls._found(section, folder, trust, [])
        return own_parameters(methods) if known else None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the methods (of who plans and who responds, of a user's own), by name."""
        return dict(self.model_extra or {})


def own_parameters(methods: Iterable[Method]) -> dict[str, Parameter]:
    """The parameters that are keys of the methods' own section, by name."""
    every = (p for method in methods for p in method.parameters)
    return {p.name: p for p in every if not p.inherit and not p.of_sensors}
