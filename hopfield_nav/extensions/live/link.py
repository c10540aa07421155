"""A client that only receives: it asks for outputs, listens, and tells what goes wrong on the way.

It sends four kinds of packages: which version is spoken, which the controller's is, which fields
are wanted, and start. There is no function here that sends an input, and none may be added.
"""

import math
import socket
import time as clock
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dynamics import BadInput
from hopfield_nav.extensions.live import packages
from hopfield_nav.extensions.live.packages import Splitter, package
from hopfield_nav.extensions.live.recipe import FIELDS, NOT_FOUND, Recipe

ANSWER = 3.0  # [s] within which an arm answers
STALLED = 0.5  # [s] without a package, after which the source is said to have stalled
SILENT = 5.0  # [s] after which it is connected to anew
PAUSE = 0.5  # [s] between two attempts to connect
FAST, SLOW = 500.0, 125.0  # [Hz] of controllers, newer and older
FIRST_FAST = 5  # version of a controller
POLL_INTERVAL = 0.1  # [s] between two looks at whether to stop
MOST_OTHERS = 1000  # packages of other kinds that are read while an answer is waited for
_CHUNK = 65536


@dataclass(frozen=True)
class Notice:
    """Something that happened to the link."""

    # ``connected``, ``missing`` fields, ``message`` of the arm, ``damaged`` package, ``stalled``,
    # ``resumed``, ``broken`` connection, ``unreachable``
    kind: str
    words: str  # what it was


class Link:
    """A connection to an arm's real-time data exchange, made anew when it breaks, for ``retry`` seconds.

    Fields that the arm lacks are named and done without; by default it sends as often as it can
    [Hz].
    """

    def __init__(
        self,
        host: str,
        port: int,
        fields: Sequence[str],
        frequency: float | None = None,
        retry: float = math.inf,
    ) -> None:
        self._address, self._fields = (host, port), list(fields)
        self._asked, self._retry = frequency, retry
        # what the packages of this connection hold; None before the first
        self.recipe: Recipe | None = None
        self.frequency = 0.0  # that was asked for [Hz]
        self._splitter = Splitter()
        self._arrived: deque[tuple[int, bytes]] = deque()

    def listen(
        self, stop: Callable[[], bool] = lambda: False
    ) -> Generator[np.ndarray | Notice, None, None]:
        """Numbers of data packages, and notices, until ``stop``, or until it could not be connected for too long.

        Raises ``BadInput``: nothing ever answered as such an arm does.
        """
        since, ever = clock.monotonic(), False
        while not stop():
            try:
                self._splitter, self._arrived = Splitter(), deque()
                with socket.create_connection(self._address, timeout=ANSWER) as connection:
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    yield from self._shake_hands(connection)
                    ever, since = True, math.inf
                    yield from self._receive(connection, stop)
            except (
                OSError,
                UnicodeError,
                BadInput,
            ) as error:  # a host of odd letters is no text to it
                since = min(since, clock.monotonic())
                over = clock.monotonic() - since >= self._retry
                if over and not ever:
                    allowed = "an arm, or hopfield-nav serve, that is running and can be reached"
                    where = ":".join(map(str, self._address))
                    raise BadInput(
                        f"no arm answers: {_cause(error)}", where=where, allowed=allowed
                    ) from None
                yield Notice("unreachable" if self.recipe is None else "broken", _reason(error))
                self.recipe = None
                if over:
                    return
                clock.sleep(PAUSE)

    def _shake_hands(self, connection: socket.socket) -> Iterator[Notice]:
        """Agree on the version, learn the controller's, set up the outputs, and start."""
        connection.sendall(package(packages.VERSION, packages.write_version(packages.PROTOCOL)))
        answer = yield from self._answer(connection, packages.VERSION)
        if not packages.read_accepted(answer):
            allowed = "a controller from version 3.10 on"
            raise BadInput("version 2 of the protocol is refused", allowed=allowed)
        connection.sendall(package(packages.CONTROLLER))
        version = packages.read_controller(
            (yield from self._answer(connection, packages.CONTROLLER))
        )
        self.frequency = self._asked or (FAST if version[0] >= FIRST_FAST else SLOW)
        recipe = yield from self._set_up(connection)
        connection.sendall(package(packages.START))
        if not packages.read_accepted((yield from self._answer(connection, packages.START))):
            raise BadInput("the source refuses to start")
        self.recipe = recipe
        words = f"controller {'.'.join(map(str, version))}, {self.frequency:g} Hz, {len(recipe.names)} fields"
        yield Notice("connected", words)

    def _set_up(self, connection: socket.socket) -> Generator[Notice, None, Recipe]:
        """The recipe of all fields that the source has; those that it lacks are named."""
        names = self._fields
        while names:
            payload = packages.write_names(names, self.frequency)
            connection.sendall(package(packages.OUTPUTS, payload))
            number, types = packages.read_recipe(
                (yield from self._answer(connection, packages.OUTPUTS))
            )
            if NOT_FOUND not in types:
                recipe = Recipe(number, tuple(names), tuple(types))
                for name, kind in zip(names, types, strict=True):  # as the maker's guide has them
                    if kind != FIELDS.get(name, kind):
                        raise BadInput(
                            "a type that does not fit", where=name, found=kind, allowed=FIELDS[name]
                        )
                return recipe
            if len(types) != len(names):
                raise BadInput(
                    "types and names do not fit", found=len(types), allowed=f"{len(names)} types"
                )
            missing = [name for name, kind in zip(names, types, strict=True) if kind == NOT_FOUND]
            yield Notice("missing", ", ".join(missing))
            names = [name for name in names if name not in missing]
        raise BadInput("the source has none of the fields that are needed")

    def _answer(self, connection: socket.socket, wanted: int) -> Generator[Notice, None, bytes]:
        """The payload of the next package of the ``wanted`` kind.

        Messages on the way are passed on.
        """
        end = clock.monotonic() + ANSWER
        for _ in range(MOST_OTHERS):
            while not self._arrived:
                if clock.monotonic() > end:
                    raise BadInput("no answer", allowed=f"one within {ANSWER:g} s")
                self._read(connection)
            kind, payload = self._arrived.popleft()
            if kind == wanted:
                return payload
            if kind == packages.TEXT:
                yield _message(payload)
        raise BadInput("too many packages instead of an answer", found=MOST_OTHERS)

    def _receive(
        self, connection: socket.socket, stop: Callable[[], bool]
    ) -> Iterator[np.ndarray | Notice]:
        """Data as it comes.

        Raises when the connection breaks, has none for long, or cannot be read.
        """
        connection.settimeout(POLL_INTERVAL)
        last, stalled = clock.monotonic(), False
        patience = max(STALLED, 5.0 / self.frequency)
        while not stop():
            arrived = self._arrived or self._read(connection)
            if arrived and any(kind == packages.DATA for kind, _ in self._arrived):
                if stalled:
                    yield Notice("resumed", f"after {clock.monotonic() - last:.1f} s")
                last, stalled = clock.monotonic(), False
            silent = clock.monotonic() - last
            if silent > SILENT * patience / STALLED:
                raise BadInput(f"no data came for {silent:.1f} s")
            if silent > patience and not stalled:
                stalled = True
                yield Notice("stalled", f"no data came for {silent:.1f} s")
            while self._arrived:
                kind, payload = self._arrived.popleft()
                if kind == packages.TEXT:
                    yield _message(payload)
                elif kind == packages.DATA and self.recipe is not None:
                    try:
                        yield self.recipe.unpack(payload)
                    except BadInput as error:
                        yield Notice("damaged", str(error))

    def _read(self, connection: socket.socket) -> bool:
        """Packages that have arrived go to ``_arrived``; whether there are any.

        Raises ``OSError``: the connection is gone; ``BadInput``: what came is no package.
        """
        try:
            received = connection.recv(_CHUNK)
        except TimeoutError:
            return False
        if not received:
            raise ConnectionError("the other side closed the connection")
        self._arrived.extend(self._splitter.feed(received))
        return bool(self._arrived)


def _message(payload: bytes) -> Notice:
    try:
        text = packages.read_text(payload)
    except BadInput as error:
        return Notice("damaged", str(error))
    return Notice("message", f"{text.level}: {' '.join(text.words.split())}")


def _cause(error: Exception) -> str:
    """The reason without what would be allowed, which the message around it says."""
    if not isinstance(error, BadInput):
        return _reason(error)
    place = f"{error.where}: " if error.where else ""
    found = "" if error.found is None else f", found {error.found}"
    return f"{place}{error.what}{found}"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
