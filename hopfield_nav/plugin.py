"""What a world file chooses once per control period: its signatures, and the list of methods.

A *method* is a plain Python function that Numba can compile, with the parameters it takes from the
world file. Three kinds exist, each with one fixed signature (this is the only file that knows
Numba's types):

``controller``  kernel(model, sensed, parameters, memory, work, tau) -> status
    writes the torque (n,) [N·m] for the next control period to ``tau``.
``estimator``   kernel(model, sensed, parameters, memory, work, tau_external, wrench) -> status
    writes its belief of J^T F (n,) [N·m] and of the tool wrench F (6,) [N, N·m].
``detector``    kernel(model, sensed, parameters, memory, work, tau_external, wrench) -> level
    returns the alarm level as a share of its threshold: a collision is detected at level > 1.

``work`` holds scratch arrays; when a method is called, its frames (``turn``, ``rotation``, ``origin``,
``tool``) are those of the model at the measured joint angles.
``model`` is the controller's own model of the arm (an ``Arm``), ``sensed`` a ``Sensed`` record: the
plant's true state is not among the arguments. ``parameters`` is one float64 array, packed in the
order of the method's declaration; ``memory`` is a float64 array that keeps its content between
periods, zero at the start and after each reset. ``status`` is 0, or ``DAMPED`` where an estimate was
damped near a singularity. A method never raises and never allocates.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dynamics import BadInput, check_range, load_arm, nearest_name
from dynamics.kernels.decorators import first_class, load_numba
from dynamics.work import make_work

if TYPE_CHECKING:
    import numba

KINDS = ("controller", "estimator", "detector")
DAMPED = 1
# What a method may need, see ``Method.needs``.
WRIST, REFERENCE, JOINT_TORQUES, FORCE_FELT = "sensors.wrench", "reference", "joint torques", "force"
_ROOM = "hopfield_nav.control"
_FOLDERS = {"controller": "laws", "estimator": "estimators", "detector": "detectors"}


class Sensed(NamedTuple):
    """What the control computer knows at the start of a control period.

    Attributes:
        time: (1,) simulated time [s].
        q, qd: (n,) measured joint angles [rad] and velocities [rad/s].
        q_ref, qd_ref, qdd_ref: (n,) reference [rad, rad/s, rad/s²].
        tau: (n,) torque commanded over the last period [N·m].
        wrench: (6,) what a sensor at the flange measures, the payload taken off: force [N] and moment about
            the flange frame's origin [N·m] that the world exerts on the tool, flange axes; zero without one.
        felt: (6,) what the estimator has made of all this, for the control law: the wrench at the tool point,
            base axes; of the period before when the estimator itself is called.
    """

    time: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    q_ref: np.ndarray
    qd_ref: np.ndarray
    qdd_ref: np.ndarray
    tau: np.ndarray
    wrench: np.ndarray
    felt: np.ndarray


def make_sensed(n: int) -> Sensed:
    """A record of zeros for an arm with ``n`` joints."""
    q, qd, q_ref, qd_ref, qdd_ref, tau = np.zeros((6, n))
    return Sensed(np.zeros(1), q, qd, q_ref, qd_ref, qdd_ref, tau, np.zeros(6), np.zeros(6))


class Applied(NamedTuple):
    """A method as the loop is handed it.

    Attributes:
        kernel: its compiled function.
        parameters: packed in the order of its declaration.
        memory: what it keeps between periods.
    """

    kernel: Callable
    parameters: np.ndarray
    memory: np.ndarray


@dataclass(frozen=True)
class Parameter:
    """One number, or one number a joint, that a method takes from the world file.

    With ``inherit`` the value is that of the controller's parameter of the same name, and is no key
    of the method's own section. With ``of_sensors`` it is that of the world's section ``sensors``: what the
    control computer knows of its sensors; where signals are replayed without a world, the default.
    """

    name: str
    default: float | tuple[float, ...]
    low: float
    high: float
    unit: str
    description: str
    per_joint: bool = False
    inherit: bool = False
    of_sensors: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.default, list):
            object.__setattr__(self, "default", tuple(self.default))

    def check(self, value: Any) -> float | tuple[float, ...]:
        """The value as a number, or as a tuple of them, one a joint; how many an arm has, ``pack`` knows.

        Raises:
            BadInput: no finite number, or out of the range.
        """
        value = value.tolist() if isinstance(value, np.ndarray) else value
        if self.per_joint and isinstance(value, (list, tuple)) and value:
            return tuple(self._check_one(v, f"{self.name}.{i}") for i, v in enumerate(value))
        return self._check_one(value, self.name)

    def _check_one(self, value: Any, where: str) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_finite(value):
            allowed = "a finite number" + (", or a list of them, one a joint" if self.per_joint else "")
            shown = "null" if value is None else value
            raise BadInput(
                "wrong kind of value", where=where, found=shown, allowed=f"{allowed} [{self.unit}]"
            )
        return check_range(float(value), self.low, self.high, self.unit, where=where)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of more than 308 digits
        return False


class Limits(NamedTuple):
    """What a control law asks of the integrator's step and of the control period.

    Attributes:
        damping: largest damping that it adds to a joint, one number or (n,) [N·m·s/rad]; a step or
            period that is too long for it is refused before the run.
        frequency: natural frequency that it gives to critically damped joints, one number or (n,)
            [rad/s]; of a period that is too long for it a run warns. None: nothing is known of it.
    """

    damping: float | np.ndarray = 0.0
    frequency: float | np.ndarray | None = None


def no_limits(values: Mapping[str, Any]) -> Limits:
    """A law that asks for nothing."""
    return Limits()


@dataclass(frozen=True)
class Method:
    """A control law, estimator or detector: a function, its parameters, and how much it remembers.

    ``limits`` gives what a control law asks of step and period, for the values of its parameters by name.
    ``needs``: of an estimator ``WRIST`` where it reads the sensor at the flange, and so knows nothing of each
    joint's own torque, or ``REFERENCE`` where it judges by how far the arm is off that; of a detector
    ``JOINT_TORQUES`` where it judges those; of a control law ``FORCE_FELT`` where it controls a force, its
    parameter ``force`` [N].
    """

    kind: str
    name: str
    kernel: Callable
    parameters: tuple[Parameter, ...] = ()
    memory: Callable[[int], int] = lambda n: 0
    description: str = ""
    limits: Callable[[Mapping[str, Any]], Limits] = no_limits
    needs: str = ""

    def __post_init__(self) -> None:
        """Lists become tuples: a method is the key under which its compiled code is kept."""
        object.__setattr__(self, "parameters", tuple(self.parameters))

    def pack(self, values: dict[str, object], n: int) -> np.ndarray:
        """The float64 array of parameters for an arm with ``n`` joints.

        Raises:
            BadInput: a value that ``Parameter.check`` refuses, or a list that has not one entry a joint.
        """
        return np.concatenate(
            [self._pack_one(p, values.get(p.name, p.default), n) for p in self.parameters] or [np.zeros(0)]
        )

    def _pack_one(self, parameter: Parameter, value: object, n: int) -> np.ndarray:
        try:
            array = np.atleast_1d(parameter.check(value))
        except BadInput as error:
            where = f"{self.kind} {self.name}: {error.where}"
            raise BadInput(error.what, where=where, found=error.found, allowed=error.allowed) from None
        wanted = n if parameter.per_joint else 1
        if array.size == 1:
            return np.repeat(array, wanted)
        if array.size != wanted:
            raise BadInput(
                "wrong number of values",
                where=f"{self.kind} {self.name}: {parameter.name}",
                found=list(array),
                allowed=f"{wanted} numbers, one a joint",
            )
        return array


@cache
def signature(kind: str) -> numba.core.typing.Signature:
    """Numba's signature of the methods of a kind."""
    numba = load_numba()
    arm, sensed, work = (
        numba.typeof(x) for x in (load_arm("ur5_ragazzon2012"), make_sensed(6), make_work(6))
    )
    vector = numba.types.float64[::1]
    results = {
        "controller": (numba.types.int64, vector),
        "estimator": (numba.types.int64, vector, vector),
        "detector": (numba.types.float64, vector, vector),
    }
    answer, *arrays = results[kind]
    return answer(arm, sensed, vector, vector, work, *arrays)


@cache
def compiled(method: Method) -> Callable:
    """The method as a first-class compiled function, compiled when it is first asked for.

    Raises:
        BadInput: Numba cannot compile it for the signature of its kind.
    """
    if not callable(method.kernel):
        raise BadInput(
            f"the {method.kind} {method.name!r} has no function as its kernel", found=method.kernel
        )
    try:
        return first_class(signature(method.kind), method.kernel)
    except (load_numba().core.errors.NumbaError, TypeError, RuntimeError) as error:
        raise BadInput(f"the {method.kind} {method.name!r} cannot be compiled: {_cause(error)}") from error


def applied(method: Method, values: dict[str, object], n: int) -> Applied:
    """A method ready for an arm with ``n`` joints: compiled, its parameters packed, its memory empty."""
    with answering(method, "memory"):
        memory = np.zeros(method.memory(n))
    return Applied(compiled(method), method.pack(values, n), memory)


@contextmanager
def answering(method: Method, what: str) -> Iterator[None]:
    """A block that asks a method for something; whatever it raises, or ``sys.exit``, is its own error."""
    try:
        yield
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        raise BadInput(f"the {what} of the {method.kind} {method.name!r} cannot be had: {reason}") from error


def type_of(record: object) -> numba.types.Type:
    """Numba's type of a number, an array or a record of them; a type in a record stands for itself."""
    numba = load_numba()
    if isinstance(record, numba.types.Type):
        return record
    if isinstance(record, tuple) and hasattr(record, "_fields"):
        return numba.types.BaseTuple.from_types([type_of(field) for field in record], type(record))
    return numba.typeof(record)


def applied_type(kind: str) -> Any:
    """Numba's type of ``Applied`` for the methods of a kind; it stands for one in ``type_of``."""
    function = load_numba().types.FunctionType(signature(kind))
    return type_of(Applied(function, np.zeros(0), np.zeros(0)))


def _cause(error: Exception) -> str:
    """What Numba complains of, and the line of the user's file, out of its many lines."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in lines if not line.startswith("Failed in")), type(error).__name__)
    place = next((line for line in reversed(lines) if line.startswith("File ")), "")
    return f"{told} ({place.rstrip(':')})" if place else told


@cache
def method_names(kind: str) -> tuple[str, ...]:
    """The built-in methods of a kind: the files of its folder, each with one method of the file's name."""
    folder = Path(__file__).resolve().parent / "control" / _FOLDERS[kind]
    return tuple(sorted(module.name for module in pkgutil.iter_modules([str(folder)])))


@cache
def find_method(kind: str, name: str, folder: Path | None = None) -> Method:
    """A built-in method by name, or a user's own as ``path/to/file.py:NAME``.

    Args:
        kind: one of ``KINDS``.
        name: name of a built-in method, or a file (relative to ``folder``) and the name of a
            ``Method`` in it.
        folder: where a relative file is looked for; default the current folder.

    Raises:
        BadInput: no such method, or the file holds none of that name.
    """
    if ".py:" in name:
        return _load_from_file(kind, name, folder or Path())
    names = method_names(kind)
    if name not in names:
        raise BadInput(
            f"unknown {kind}",
            found=name,
            allowed=", ".join(names) + ", or FILE.py:NAME for your own",
            nearest=nearest_name(name, names),
        )
    module = importlib.import_module(f"{_ROOM}.{_FOLDERS[kind]}.{name}")
    return module.METHOD


def _load_from_file(kind: str, name: str, folder: Path) -> Method:
    file_name, attribute = name.rsplit(":", 1)
    path = (folder / file_name).resolve()
    if not path.is_file():
        raise BadInput(f"no such file for the {kind}", found=str(path))
    spec = importlib.util.spec_from_file_location(f"user_method_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BadInput(f"not a Python file for the {kind}", found=str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        with _importing_from(str(path.parent)):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # sys.exit ends no program of ours
        raise BadInput(f"{path.name} cannot be loaded: {type(error).__name__}: {error}") from error
    method = getattr(module, attribute, None)
    if not isinstance(method, Method) or method.kind != kind:
        raise BadInput(
            f"{path.name} has no {kind} of that name", found=attribute, allowed=f"a Method(kind={kind!r}, …)"
        )
    return method


@contextmanager
def _importing_from(folder: str) -> Iterator[None]:
    """What lies beside a file may be imported by it, unless it has the name of something else."""
    known = folder in sys.path
    if not known:
        sys.path.append(folder)
    try:
        yield
    finally:
        if not known and folder in sys.path:
            sys.path.remove(folder)
