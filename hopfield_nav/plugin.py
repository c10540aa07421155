"""What a world file chooses: the signatures of methods, and the list of them.

A *method* is a function with the parameters it takes from the world file. What runs once per control period is a
plain Python function that Numba can compile, of one fixed signature a kind (this is the only file that knows Numba's
types):

``controller``  kernel(model, sensed, parameters, memory, work, tau) -> status
    writes the torque (n,) [N·m] for the next control period to ``tau``.
``estimator``   kernel(model, sensed, parameters, memory, work, tau_external, wrench) -> status
    writes its belief of J^T F (n,) [N·m] and of the tool wrench F (6,) [N, N·m].
``detector``    kernel(model, sensed, parameters, memory, work, tau_external, wrench) -> level
    returns the alarm level as a share of its threshold: a collision is detected at level > 1.

``work`` holds scratch arrays; when a method is called, its frames (``turn``, ``rotation``, ``origin``, ``tool``) are
those of the model at the measured joint angles. ``model`` is the controller's own model of the arm (an ``Arm``),
``sensed`` a ``Sensed`` record: the plant's true state is not among the arguments. ``parameters`` is one float64
array, packed in the order of the method's declaration; ``memory`` is a float64 array that keeps its content between
periods, zero at the start and after each reset. ``status`` is 0, or ``DAMPED`` where an estimate was damped near a
singularity. A method never raises and never allocates.

What a world file chooses once per touch is plain Python. Here the kernel is a class (or a function) that is called
once a run with the parameters by name, and gives an object:

``planner``   a ``Planner``: from a map with what is believed on it to a path
``response``  a ``Response``: from what is known of a touch to the next motion
``belief``    a ``Belief``: from what was felt to what is blocked or dear on a map of joint angles
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import pkgutil
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from dynamics import BadInput, HopfieldNavError, check_range, load_arm, nearest_name
from dynamics.kernels.decorators import first_class, load_numba
from dynamics.work import make_work

if TYPE_CHECKING:
    import numba

KINDS = ("controller", "estimator", "detector")  # what is compiled
PLAIN = {
    "planner": ("hopfield", "a_star", "potential_field", "roadmap"),
    "response": ("replan", "follow", "slide"),
    "belief": ("felt_points", "hypothesis_sets", "thompson", "optimist", "omniscient"),
}  # what is plain Python, and the built-in ones: each the ``METHOD`` of a file of its name
DAMPED = 1
# What a method may need, see ``Method.needs``.
WRIST, REFERENCE, JOINT_TORQUES, FORCE_FELT = "sensors.wrench", "reference", "joint torques", "force"
_FOLDERS = {
    "controller": "control.laws", "estimator": "control.estimators", "detector": "control.detectors",
    "planner": "navigation.planners", "response": "navigation.responses",
    "belief": "navigation.whole_arm.strategies",
}  # fmt: skip


class MethodFailed(HopfieldNavError):
    """A method of somebody's own has raised, or has answered what is no answer."""


@dataclass(frozen=True, eq=False)
class BelievedMap:
    """A map of cells, of any rank, with all that is believed on it; a method's own copy cannot be written."""

    blocked: np.ndarray  # bool grid: what is known to be there, the rim, and what the arm cannot reach
    against: np.ndarray  # float32 grid, -ln(1 - certainty) that a cell is occupied; 0 where nothing speaks for it
    closed: np.ndarray  # (m, 2, rank) int, pairs of neighbouring cells: the steps between them are closed
    certainty: np.ndarray  # (m,) of each of them; 1 where it is proven, and no path may lead there
    start: tuple[int, ...]  # (rank,) cell
    goals: np.ndarray  # (g, rank) int, cells; one of them is to be reached
    moves: np.ndarray  # (k, rank) int, from any cell to those beside it
    radius: float = 1.0  # of these moves [cells]
    seed: int = 0  # of the run

    def read_only(self) -> BelievedMap:
        """The same, its arrays views that cannot be written."""
        views: dict[str, Any] = {k: read_only(v) for k, v in vars(self).items() if isinstance(v, np.ndarray)}
        return replace(self, **views)


class Planner(Protocol):
    """Plans over a map."""

    def plan(self, believed: BelievedMap) -> Any:
        """(k, rank) cells from the start to a goal, each a move from the one before; None: there is no path.

        Start and goals count as free. Then the program takes the path against which least is believed.
        """


class Touch(Protocol):
    """What is known when a response is asked: after a touch, or at the end of what it answered before.

    Attributes:
        time: [s].
        believed: the map; its start is the cell from which the arm goes on.
        place: (rank,) where the arm was touched, or is now, in cells.
        direction: (rank,) of its motion, a unit vector in cells; zero at rest.
        force: (rank,) that it felt along the axes of the map, of the tool [N], of joints [N·m]; zero at rest.
        step: (2, rank) cells of the step that was touched; None where it was none.
    """

    @property
    def time(self) -> float: ...  # noqa: D102  (said above, as of those below)
    @property
    def believed(self) -> BelievedMap: ...  # noqa: D102
    @property
    def place(self) -> np.ndarray: ...  # noqa: D102
    @property
    def direction(self) -> np.ndarray: ...  # noqa: D102
    @property
    def force(self) -> np.ndarray: ...  # noqa: D102
    @property
    def step(self) -> np.ndarray | None: ...  # noqa: D102

    def path(self, start: tuple[int, ...]) -> np.ndarray | None:
        """(k, rank) cells from a cell to the goal, of the world's planner; None where it finds none."""


class Response(Protocol):
    """Chooses the motion after a touch.

    An answer is (k, rank) waypoints in cells, k at least 1: the arm goes back to the start of the map, and straight
    over the waypoints; then ``on_rest`` is asked. None: a new path of the planner, to the goal.
    """

    def on_touch(self, touch: Touch) -> Any:
        """The waypoints after a touch, or None."""

    def on_rest(self, touch: Touch) -> Any:
        """The waypoints at the end of those before, or None; nothing was touched on them."""


@dataclass(frozen=True, eq=False)
class Felt:
    """What touches have told of the places of obstacles, on a map of joint angles; it cannot be written."""

    believed: BelievedMap  # the map; ``against`` is what the built-in strategies believe
    points: np.ndarray  # (k, 3) where the arm may have been touched, base axes [m]
    weights: np.ndarray  # (k,) how likely each is; those of one touch sum to 1 at most
    touches: np.ndarray  # (k,) int, number of the touch that each is of
    # of a point (3,) and a distance [m], the bool grid of the cells where the arm is nearer to it
    near: Callable[[np.ndarray, float], np.ndarray]


class Against(NamedTuple):
    """What speaks against the cells of a map."""

    # float32 grid, at least 0: -ln(1 - certainty) that a cell is blocked; the path risks the least. With
    # ``as_cost`` what a cell costs beside the steps, each of which costs 1.
    cells: np.ndarray
    as_cost: bool = False  # whether it is a cost
    # (k, 3) places through which no step shall sweep, unless so much is risked [m]
    points: np.ndarray = np.zeros((0, 3))
    weights: np.ndarray = np.zeros(0)  # (k,) how certain each is


class Belief(Protocol):
    """Says what a touch blocks, or makes dear, on a map of joint angles; asked before every path."""

    def believe(self, felt: Felt) -> Any:
        """``Against``, or None: nothing but the steps that were touched."""


@dataclass(frozen=True)
class Measures:
    """Columns of somebody's own in the table of a sweep or a bench, from every finished run."""

    # of a ``Run``, a mapping from the names of columns to numbers, text or None
    function: Callable[[Any], Mapping[str, Any]]
    columns: Mapping[str, str]  # unit of every column, "1" where there is none and "" for text


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


class Overdue(BaseException):
    """Raised in a thread whose method has had its patience."""


watching: list[Callable[[str], AbstractContextManager[None]]] = []  # of who ends what takes too long; one at most


@contextmanager
def asked(method: Method) -> Iterator[None]:
    """A block in which a method of somebody's own works; whatever it raises, or ``sys.exit``, fails it.

    Raises ``MethodFailed``: with the method, the error, and the line.
    """
    try:
        with watching[-1](f"{method.kind} {method.name!r}") if watching else nullcontext():
            yield
    except Overdue as error:
        raise MethodFailed(f"{method.kind} {method.name!r}: {error}") from None
    except MethodFailed as error:
        raise MethodFailed(f"{method.kind} {method.name!r}: {error}") from None
    except (Exception, SystemExit) as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        told = " ".join(f"{type(error).__name__}: {error}".split())
        line = f"{Path(place.filename).name}, line {place.lineno}"
        raise MethodFailed(f"{method.kind} {method.name!r}: {told} ({line})") from error


class Sensed(NamedTuple):
    """What the control computer knows at the start of a control period."""

    time: np.ndarray  # (1,) simulated time [s]
    # q, qd: (n,) measured joint angles [rad] and velocities [rad/s]
    q: np.ndarray
    qd: np.ndarray
    # q_ref, qd_ref, qdd_ref: (n,) reference [rad, rad/s, rad/s²]
    q_ref: np.ndarray
    qd_ref: np.ndarray
    qdd_ref: np.ndarray
    tau: np.ndarray  # (n,) torque commanded over the last period [N·m]
    # (6,) what a sensor at the flange measures, the payload taken off: force [N] and moment about the flange
    # frame's origin [N·m] that the world exerts on the tool, flange axes; zero without one
    wrench: np.ndarray
    # (6,) what the estimator has made of all this, for the control law: the wrench at the tool point, base
    # axes; of the period before when the estimator itself is called
    felt: np.ndarray
    friction: np.ndarray  # (n,) what friction takes from the motors, as the controller's model has it [N·m]
    friction_doubt: np.ndarray  # (n,) by how much it may be wrong while a gear's strain is not known [N·m]


def make_sensed(n: int) -> Sensed:
    """A record of zeros for an arm with ``n`` joints."""
    q, qd, q_ref, qd_ref, qdd_ref, tau = np.zeros((6, n))
    wrench, felt, friction, doubt = np.zeros(6), np.zeros(6), np.zeros(n), np.zeros(n)
    return Sensed(np.zeros(1), q, qd, q_ref, qd_ref, qdd_ref, tau, wrench, felt, friction, doubt)


class Applied(NamedTuple):
    """A method as the loop is handed it."""

    kernel: Callable  # its compiled function
    parameters: np.ndarray  # packed in the order of its declaration
    memory: np.ndarray  # what it keeps between periods


@dataclass(frozen=True)
class Parameter:
    """One number, or one number a joint, that a method takes from the world file.

    With ``inherit`` the value is that of the controller's parameter of the same name, and is no key of the method's
    own section. With ``of_sensors`` it is that of the world's section ``sensors``: what the control computer knows of
    its sensors; where signals are replayed without a world, the default.
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

        Raises ``BadInput``: no finite number, or out of the range.
        """
        value = value.tolist() if isinstance(value, np.ndarray) else value
        if self.per_joint and isinstance(value, (list, tuple)) and value:
            return tuple(self._check_one(v, f"{self.name}.{i}") for i, v in enumerate(value))
        return self._check_one(value, self.name)

    def _check_one(self, value: Any, where: str) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_finite(value):
            allowed = "a finite number" + (", or a list of them, one a joint" if self.per_joint else "")
            shown = "null" if value is None else value
            told = "wrong kind of value"
            raise BadInput(told, where=where, found=shown, allowed=f"{allowed} [{self.unit}]")
        return check_range(float(value), self.low, self.high, self.unit, where=where)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of more than 308 digits
        return False


class Limits(NamedTuple):
    """What a control law asks of the integrator's step and of the control period."""

    # largest damping that it adds to a joint, one number or (n,) [N·m·s/rad]; a step or period that is too
    # long for it is refused before the run
    damping: float | np.ndarray = 0.0
    # natural frequency that it gives to critically damped joints, one number or (n,) [rad/s]; of a period
    # that is too long for it a run warns. None: nothing is known of it.
    frequency: float | np.ndarray | None = None


def no_limits(values: Mapping[str, Any]) -> Limits:
    """A law that asks for nothing."""
    return Limits()


@dataclass(frozen=True)
class Method:
    """A function or class, its parameters, and how much it remembers; for the kinds see the top of this file.

    ``limits`` gives what a control law asks of step and period, for the values of its parameters by name. ``needs``:
    of an estimator ``WRIST`` where it reads the sensor at the flange, and so knows nothing of each joint's own
    torque, or ``REFERENCE`` where it judges by how far the arm is off that; of a detector ``JOINT_TORQUES`` where it
    judges those; of a control law ``FORCE_FELT`` where it controls a force, its parameter ``force`` [N].
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

    def made(self, values: Mapping[str, Any]) -> Any:
        """What a method in plain Python makes for a run, of its parameters or their defaults.

        Raises ``MethodFailed``: it raises.
        """
        with asked(self):
            return self.kernel(**{p.name: values.get(p.name, p.default) for p in self.parameters})

    def pack(self, values: dict[str, object], n: int) -> np.ndarray:
        """The float64 array of parameters for an arm with ``n`` joints.

        Raises ``BadInput``: a value that ``Parameter.check`` refuses, or a list that has not one entry a joint.
        """
        return np.concatenate(
            [self._pack_one(p, values.get(p.name, p.default), n) for p in self.parameters] or [np.zeros(0)]
        )

    def _pack_one(self, parameter: Parameter, value: object, n: int) -> np.ndarray:
        try:
            array = np.atleast_1d(parameter.check(value))
        except BadInput as error:
            raise error.at(f"{self.kind} {self.name}: {error.where}") from None
        wanted = n if parameter.per_joint else 1
        if array.size == 1:
            return np.repeat(array, wanted)
        if array.size != wanted:
            told = "wrong number of values"
            where = f"{self.kind} {self.name}: {parameter.name}"
            raise BadInput(told, where=where, found=list(array), allowed=f"{wanted} numbers, one a joint")
        return array


@cache
def signature(kind: str) -> numba.core.typing.Signature:
    """Numba's signature of the methods of a kind."""
    numba = load_numba()
    arm, sensed, work = (numba.typeof(x) for x in (load_arm("ur5_ragazzon2012"), make_sensed(6), make_work(6)))
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

    Raises ``BadInput``: Numba cannot compile it for the signature of its kind.
    """
    if not callable(method.kernel):
        told = f"the {method.kind} {method.name!r} has no function as its kernel"
        raise BadInput(told, found=method.kernel)
    try:
        return first_class(signature(method.kind), method.kernel, into_c=True)
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


_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")  # colours, where a package for them is installed


def _cause(error: Exception) -> str:
    """What Numba complains of, and the line of the user's file, out of its many lines."""
    plain = _ESCAPES.sub("", str(error))
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    told = next((line for line in lines if not line.startswith("Failed in")), type(error).__name__)
    place = next((line for line in reversed(lines) if line.startswith("File ")), "")
    return f"{told} ({place.rstrip(':')})" if place else told


@cache
def method_names(kind: str) -> tuple[str, ...]:
    """The built-in methods of a kind: the files of its folder, each with one method of the file's name."""
    if kind in PLAIN:
        return PLAIN[kind]
    folder = Path(__file__).resolve().parent.joinpath(*_FOLDERS[kind].split("."))
    return tuple(sorted(module.name for module in pkgutil.iter_modules([str(folder)])))


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """How each of some methods is called where there is little room, a built-in one by its name.

    One's own, ``FILE.py:NAME``, is called NAME, or as its file where that is METHOD; where two would be called alike
    both names are said, and where these are alike the whole.
    """
    found: dict[str, str] = {}
    left = dict.fromkeys(names)
    for shorten in (_own_name, _file_and_name, str):
        tried = {name: shorten(name) for name in left}
        said = [*tried.values(), *found.values()]
        found |= {name: text for name, text in tried.items() if said.count(text) == 1}
        left = {name: None for name in left if name not in found}
    return found


def _own_name(name: str) -> str:
    file, _, attribute = name.rpartition(".py:")
    return Path(file).name if file and attribute == "METHOD" else attribute


def _file_and_name(name: str) -> str:
    file, _, attribute = name.rpartition(".py:")
    return f"{Path(file).name}:{attribute}" if file else name


@cache
def find_method(kind: str, name: str, folder: Path | None = None) -> Method:
    """A built-in method by name, or a user's own as ``path/to/file.py:NAME``.

    Args:
        kind: one of ``KINDS`` or of ``PLAIN``.
        name: name of a built-in method, or a file (relative to ``folder``) and the name of a ``Method`` in it.
        folder: where a relative file is looked for; default the current folder.

    Raises ``BadInput``: no such method, or the file holds none of that name.
    """
    if ".py:" in name:
        return _load_from_file(kind, name, folder or Path())
    names = method_names(kind)
    if name not in names:
        allowed = ", ".join(names) + ", or FILE.py:NAME for your own"
        raise BadInput(f"unknown {kind}", found=name, allowed=allowed, nearest=nearest_name(name, names))
    method: Method = importlib.import_module(f"hopfield_nav.{_FOLDERS[kind]}.{name}").METHOD
    return method


def _load_from_file(kind: str, name: str, folder: Path) -> Method:
    method = load_from_file(kind, name, folder)
    if not isinstance(method, Method) or method.kind != kind:
        file, attribute = name.rsplit(":", 1)
        told = f"{Path(file).name} has no {kind} of that name"
        raise BadInput(told, found=attribute, allowed=f"a Method(kind={kind!r}, …)")
    return method


def load_from_file(kind: str, name: str, folder: Path) -> Any:
    """What a file of somebody's own, ``FILE.py:NAME`` below ``folder``, holds under a name; None: nothing.

    Raises ``BadInput``: there is no such file, or it cannot be loaded.
    """
    file_name, attribute = name.rsplit(":", 1)
    path = (folder / file_name).resolve()
    if not path.is_file():
        raise BadInput(f"no such file for the {kind}", found=str(path))
    about = path.stat()
    return getattr(_module_of(path, kind, (about.st_mtime_ns, about.st_size)), attribute, None)


@cache
def _module_of(path: Path, kind: str, stamp: tuple[int, int]) -> ModuleType:
    """The module that a file holds, loaded once as long as the file is the same."""
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
    return module


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
