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

    # of its section
    key: str
    # the value that is gone; None: the whole key
    value: str | None = None
    # the value that stands for it
    instead: str | None = None


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
    # by the keys that name methods, the kind of each
    kinds: ClassVar[dict[str, str]] = {}
    # what records of earlier versions hold
    gone: ClassVar[tuple[Gone, ...]] = ()

    @model_validator(mode="wrap")
    @classmethod
    def _with_parameters(
        cls, section: Any, handler: Callable[[Any], Self], info: ValidationInfo
    ) -> Self:
        """The section with the parameters of its methods, given or by default, and checked."""
        faults = list[BadInput]()
        if isinstance(section, Mapping):
            context = info.context or {}
            if context.get("trust", Trust()).record:
                section = without_gone(section, cls.gone)
            section = {**section, **cls._values(section, context, faults)}
        try:
            made = handler(section)
        except ValidationError as error:
            # the faults of methods together with those of the keys
            refuse_section(faults, error)
            raise
        # no fault of the keys; those of methods, if there are any
        refuse_section(faults)
        return made

    @classmethod
    def _values(
        cls, section: Mapping[str, Any], context: Mapping[str, Any], faults: list[BadInput]
    ) -> dict[str, float | tuple[float, ...] | None]:
        """The values of all parameters, given or by default.

        None stands for one that follows from the arm. What is wrong with the section's keys is
        added to ``faults``.
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
            parameters |= {key: _of_any_value(key) for key in own}
        elif known:
            allowed = [*cls.model_fields, *parameters]
            faults += [unknown_key(key, allowed, where=key) for key in own]
        values = dict[str, float | tuple[float, ...] | None]()
        for name, parameter in parameters.items():
            value = section.get(name, parameter.default)
            may_be_none = parameter.of_arm is not None or (as_recorded and name in own)
            if value is None and may_be_none:
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
        """The methods of the section whose parameters are further keys, and whether they are known.

        They are known if no method is missing: then any other key is an unknown one. The parameters
        of a method in plain Python that comes with the program are keys of the section itself.
        """
        methods = list[Method]()
        known = True
        for key, name in cls.named(section).items():
            kind = cls.kinds[key]
            if not isinstance(name, str):
                known = False  # its own fault says so
                continue
            by_default = name == cls.model_fields[key].default
            has_own_keys = kind in PLAIN and (by_default or is_bundled(kind, name))
            if has_own_keys or not trust.looks_into(kind, name):
                continue
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
        """The keys of the methods that plain data of a section names.

        None: one of the methods is not known.
        """
        methods, known = cls._found(section, folder, trust, faults=[])
        return own_parameters(methods) if known else None

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of the methods' parameters by name, as far as they are further keys."""
        return dict(self.model_extra or {})


def _of_any_value(key: str) -> Parameter:
    """A parameter of a method that nobody looks into: whatever was recorded."""
    return Parameter(
        key,
        default=0.0,
        low=-math.inf,
        high=math.inf,
        unit="1",
        description="as recorded",
        per_joint=True,
    )


def own_parameters(methods: Iterable[Method]) -> dict[str, Parameter]:
    """The parameters that are keys of the methods' own section, by name."""
    every = (p for method in methods for p in method.parameters)
    return {p.name: p for p in every if not p.inherit and not p.of_sensors}
