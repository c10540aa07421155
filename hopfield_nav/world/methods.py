"""Inline parameters: a section that names a method also holds the parameters of that method.

``controller: {law: inverse_dynamics, omega: [...]}``: which keys are allowed follows from the law. Parameters that
are left out get the method's default, so that a saved world shows them all.
"""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, ValidationInfo, model_validator

from dynamics import BadInput, nearest_name
from hopfield_nav.plugin import PLAIN, Method, Parameter, find_method, is_bundled, method_names
from hopfield_nav.world.fields import Section
from hopfield_nav.world.not_known import NOT_KNOWN
from hopfield_nav.world.trust import Trust


class MethodSection(Section):
    """A section that names methods; their parameters are further keys."""

    model_config = ConfigDict(extra="allow", frozen=True)
    kinds: ClassVar[dict[str, str]] = {}  # of the method that each of these keys names

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, section: Any, info: ValidationInfo) -> Any:
        kinds = {key: (kind, cls.model_fields[key].default) for key, kind in cls.kinds.items()}
        context = info.context or {}
        folder, trust = context.get("folder"), context.get("trust", Trust())
        return _with_parameters(section, kinds, cls.model_fields, folder, trust)

    @classmethod
    def own_keys(cls, names: Mapping[str, Any], folder: Path, trust: Trust) -> dict[str, Parameter]:
        """The keys of the methods that have these names.

        Raises ``BadInput``: there is no such method, or its file may not be executed.
        """
        for key, name in names.items():
            if not isinstance(name, str):
                raise BadInput("no name", where=key, found=name)
        own = ((cls.kinds[key], cls.model_fields[key].default, name) for key, name in names.items())
        found = [trust.find(kind, name, folder) for kind, default, name in own if not _is_ours(kind, default, name)]
        return own_parameters(found)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the methods (of who plans and who responds, of somebody's own), by name."""
        return dict(self.model_extra or {})


def _with_parameters(
    section: object, kinds: Mapping[str, tuple[str, str]], fields: Iterable[str], folder: Path | None, trust: Trust
) -> object:
    """The section with the parameters of its methods checked, and completed by their defaults.

    ``kinds`` has, for each key that names a method, its kind and the default name; ``fields`` are no parameters. A
    user's own ``FILE.py:NAME`` is looked for in ``folder``, and executed with ``trust``.

    Raises ``BadInput``: unknown method, unknown key, a parameter out of its range or with the name of one of
    ``fields``, or a file that is not trusted.
    """
    if not isinstance(section, Mapping):
        return section
    names = {key: section.get(key, default) for key, (_, default) in kinds.items()}
    if not all(name is NOT_KNOWN or isinstance(name, str) for name in names.values()):
        return section
    names = {k: v for k, v in names.items() if v is NOT_KNOWN or not _is_ours(*kinds[k], v)}
    known = {key: name for key, name in names.items() if name is not NOT_KNOWN and trust.looks_into(name)}
    methods = [_find(kinds[key][0], name, folder, key, trust) for key, name in known.items()]
    parameters = own_parameters(methods)
    for name in parameters.keys() & set(fields):
        told = "a parameter of your method has the name of a key of this section"
        raise BadInput(told, where=name, found=name, allowed="any other name")
    own = [name for name in section if name not in fields and name not in parameters]
    unknown = [kinds[key][0] for key, name in names.items() if name is NOT_KNOWN]
    if unknown:
        _refuse_in_any_case({name: section[name] for name in own if section[name] is not NOT_KNOWN}, unknown)
        section = {**section, **dict.fromkeys(own, NOT_KNOWN)}
    elif len(known) < len(names):
        parameters = {name: _recorded(name) for name in own} | parameters
    else:
        _refuse_unknown(own, [*fields, *parameters])
    given = {name: section.get(name, p.default) for name, p in parameters.items()}
    values = {name: parameters[name].check(v) for name, v in given.items() if v is not NOT_KNOWN}
    return {**section, **values}


def _is_ours(kind: str, default: str, name: str) -> bool:
    """Whether a method in plain Python comes with the program: its parameters are keys of the section."""
    return kind in PLAIN and (name == default or is_bundled(kind, name))


def _recorded(name: str) -> Parameter:
    """A parameter of a method that nobody looks into: any number, or a list of them."""
    return Parameter(name, 0.0, -math.inf, math.inf, "1", "as recorded", per_joint=True)


def own_parameters(methods: Iterable[Method]) -> dict[str, Parameter]:
    """The parameters that are keys of the methods' own section, by name."""
    every = (p for method in methods for p in method.parameters)
    return {p.name: p for p in every if not p.inherit and not p.of_sensors}


def _refuse_in_any_case(values: Mapping[str, object], kinds: Iterable[str]) -> None:
    """Refuse values that no built-in method of these kinds takes for its parameter of that name."""
    methods = [find_method(kind, name) for kind in kinds for name in method_names(kind)]
    every = [p for method in methods for p in own_parameters([method]).values()]
    for name, value in values.items():
        same = [p for p in every if p.name == name]
        faults = [fault for p in same if (fault := refusal(p, value))]
        if faults and len(faults) == len(same):
            raise faults[0]


def refusal(parameter: Parameter, value: object) -> BadInput | None:
    """What a parameter has against a value; None: nothing."""
    try:
        parameter.check(value)
    except BadInput as error:
        return error
    return None


def _find(kind: str, name: str, folder: Path | None, key: str, trust: Trust) -> Method:
    try:
        return trust.find(kind, name, folder)
    except BadInput as error:
        raise error.at(key) from None


def _refuse_unknown(keys: list[str], known: list[str]) -> None:
    for key in keys:
        nearest = nearest_name(key, known)
        raise BadInput("unknown key", where=str(key), found=key, allowed=", ".join(known), nearest=nearest)
