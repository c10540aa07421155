"""A log told over the network as a Universal Robots arm tells its state: several clients, one clock.

Every row is due at its time after the first one: no clock that drifts.
"""

import ipaddress
import select
import socket
import time as clock
from collections.abc import Callable

from dynamics import BadInput
from hopfield_nav.extensions.live.conversation import Conversation
from hopfield_nav.extensions.live.source import Source

MOST_CLIENTS = 16
POLL_INTERVAL = 0.2  # [s] between two looks at whether to stop
LINGER = 1.0  # [s] that clients have to read the last rows
_CHUNK = 4096


class Server:
    """Sends a log to every client, so many seconds of it a second, from when the first one asks for data.

    A host that is not this machine's own can be read by everybody; port 0 is any free one.

    Raises ``BadInput``: the address cannot be listened at.
    """

    def __init__(self, telling: Source, host: str, port: int, speed: float = 1.0) -> None:
        self._telling, self._speed = telling, speed
        self._socket = _listen(host, port)
        self.address: tuple[str, int] = self._socket.getsockname()[:2]  # host and port at which it listens
        self._talks: dict[socket.socket, Conversation] = {}
        self._begun: float | None = None  # when the first row was due [s]; None until the log begins
        self.late: list[float] = []  # of every row that was sent, how late it was [s]
        # clients: that have connected so far
        # packages: of data that were sent to all of them
        self.clients = self.packages = 0

    def serve(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Send the whole log, then close; it ends earlier once ``stop()`` is true."""
        try:
            k = 0
            while k < len(self._telling.time) and not stop():
                k = self._tell_due(k)
                self._exchange(min(POLL_INTERVAL, max(0.0, self._until(k))))
            end = clock.perf_counter() + LINGER
            while any(talk.waiting for talk in self._talks.values()) and clock.perf_counter() < end:
                self._exchange(0.01)
        finally:
            self.close()

    def close(self) -> None:
        """Let go of every client and of the address."""
        for connection in list(self._talks):
            self._drop(connection)
        self._socket.close()

    def _tell_due(self, k: int) -> int:
        """Tell the rows that are due; returns the next one."""
        if self._begun is None:
            if not any(talk.playing for talk in self._talks.values()):
                return k
            self._begun = clock.perf_counter()
        while k < len(self._telling.time) and self._until(k) <= 0.0:
            for talk in self._talks.values():
                talk.tell(k)
            for connection in list(self._talks):
                self._send(connection)
            self.late.append(-self._until(k))
            k += 1
        return k

    def _until(self, k: int) -> float:
        """How long it takes until a row is due [s]."""
        if self._begun is None or k >= len(self._telling.time):
            return POLL_INTERVAL
        return self._begun + float(self._telling.time[k]) / self._speed - clock.perf_counter()

    def _exchange(self, seconds: float) -> None:
        """Wait so long for what clients send, at the most."""
        full = [connection for connection, talk in self._talks.items() if talk.waiting]
        readable, writable, _ = select.select([self._socket, *self._talks], full, [], seconds)
        for connection in readable:
            if connection is self._socket:
                self._welcome()
            else:
                self._receive(connection)
        for connection in writable:
            self._send(connection)

    def _welcome(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except OSError:
            return
        if len(self._talks) >= MOST_CLIENTS:
            connection.close()
            return
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._talks[connection] = Conversation(self._telling)
        self.clients += 1

    def _receive(self, connection: socket.socket) -> None:
        try:
            received = connection.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            received = b""
        if not received:
            self._drop(connection)
            return
        if connection in self._talks:
            self._talks[connection].hear(received)
            self._send(connection)

    def _send(self, connection: socket.socket) -> None:
        talk = self._talks.get(connection)
        if talk is None:
            return
        try:
            if talk.waiting:
                del talk.waiting[: connection.send(talk.waiting)]
        except BlockingIOError:
            return
        except OSError:
            self._drop(connection)
            return
        if talk.over and not talk.waiting:
            self._drop(connection)

    def _drop(self, connection: socket.socket) -> None:
        talk = self._talks.pop(connection, None)
        self.packages += talk.sent if talk else 0
        connection.close()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    try:
        host.encode("idna")  # before a socket is made, which would be left open
        listening = socket.create_server((host, port), backlog=MOST_CLIENTS)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        allowed = "an address of this machine, and a port that is free"
        raise BadInput(f"cannot listen: {reason}", where=f"{host}:{port}", allowed=allowed) from None
    listening.setblocking(False)
    return listening
