"""A log told over the network as a Universal Robots arm tells its state.

A thread for each client, one clock. Every row is due at its time after the first one: no clock that
drifts.
"""

import ipaddress
import select
import socket
import time as clock
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Lock, Thread

import numpy as np

from dynamics import BadInput
from hopfield_nav.extensions.live.conversation import Conversation
from hopfield_nav.extensions.live.source import Source

MOST_CLIENTS = 16
POLL_INTERVAL = 0.2  # [s] between two looks at whether to stop
PATIENCE = 1.0  # [s] that a client may leave unread what it was sent
_CHUNK = 4096


class Server:
    """Sends a log to every client, so many seconds of it a second, from when the first one asks for data.

    A host that is not this machine's own can be read by everybody; port 0 is any free one.

    Raises ``BadInput``: the address cannot be listened at.
    """

    def __init__(self, telling: Source, host: str, port: int, speed: float = 1.0) -> None:
        self._telling, self._due = telling, telling.time / speed
        self._socket = _listen(host, port)
        # host and port at which it listens
        self.address: tuple[str, int] = self._socket.getsockname()[:2]
        # when the first row was due [s]; None until the log begins
        self._begun: float | None = None
        self._lock, self._over = Lock(), Event()
        # of every row that was sent, how late it was for the last client [s]
        self.late: dict[int, float] = {}
        # clients: that have connected so far
        # packages: of data that were sent to all of them
        self.clients = self.packages = 0

    def serve(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Send the whole log, then close; it ends earlier once ``stop()`` is true."""
        threads: list[Thread] = []
        try:
            while not stop() and self._row() < len(self._due):
                threads = [thread for thread in threads if thread.is_alive()]
                with suppress(OSError):
                    connection, _ = self._socket.accept()
                    if len(threads) == MOST_CLIENTS:
                        connection.close()
                        continue
                    self.clients += 1
                    threads.append(Thread(target=self._talk, args=(connection,)))
                    threads[-1].start()
            for thread in threads if self._row() == len(self._due) else ():
                thread.join(PATIENCE)  # for the last rows
        finally:
            self._socket.close()
            self._over.set()
            for thread in threads:
                thread.join()

    def _row(self) -> int:
        """The first row that is not due yet."""
        since = -1.0 if self._begun is None else clock.perf_counter() - self._begun
        return int(np.searchsorted(self._due, since, "right"))

    def _talk(self, connection: socket.socket) -> None:
        """Answer a client and tell it the rows from now on, until it goes or the log ends."""
        connection.settimeout(PATIENCE)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        talk, row = Conversation(self._telling), self._row()
        with connection, suppress(OSError):
            while not (talk.over or self._over.is_set()) and row < len(self._due):
                if select.select([connection], [], [], max(0.0, self._until(row)))[0]:
                    received = connection.recv(_CHUNK)
                    if not received:
                        break
                    talk.hear(received)
                row = self._tell(talk, row)
                connection.sendall(talk.taken())
        with self._lock:
            self.packages += talk.sent

    def _tell(self, talk: Conversation, row: int) -> int:
        """Tell a client the rows that are due, if it plays; the next row."""
        with self._lock:
            if self._begun is None and talk.playing:
                self._begun = clock.perf_counter()
        while (
            self._begun is not None and row < len(self._due) and (late := -self._until(row)) >= 0.0
        ):
            talk.tell(row)
            if talk.playing:
                self.late[row] = late
            row += 1
        return row

    def _until(self, row: int) -> float:
        """How long it takes until a row is due [s], at most until the next look."""
        if self._begun is None:
            return POLL_INTERVAL
        return min(self._begun + float(self._due[row]) - clock.perf_counter(), POLL_INTERVAL)


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
        raise BadInput(
            f"cannot listen: {reason}", where=f"{host}:{port}", allowed=allowed
        ) from None
    listening.settimeout(POLL_INTERVAL)
    return listening
