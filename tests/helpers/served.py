"""A served log beside the test: in a thread with our own client, or in a process of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np

from dynamics import inverse_dynamics, jacobian, load_arm
from hopfield_nav.extensions.live import (
    WATCHED,
    Link,
    Monitor,
    Notice,
    Server,
    packages,
    source_of_recording,
)
from hopfield_nav.extensions.live.packages import package
from hopfield_nav.extensions.live.recipe import FIELDS, Recipe
from hopfield_nav.extensions.recordings import label_signals

CONSTANT = 8.0  # [N·m/A] of the arm that is made up here
PUSHED = (3.0, 3.3)  # [s]


def moving(seconds: float, rate: float = 125.0, push: float = 0.0, noise: float = 0.05):
    """A recording of an arm that swings every joint; its tool is pushed down for a moment [N]."""
    time_s = np.arange(round(seconds * rate)) / rate
    speeds = 2 * np.pi / np.array([2.0, 2.4, 1.8, 1.4, 1.1, 0.9])
    angle = speeds * time_s[:, None]
    q, qd, qdd = 0.5 * np.sin(angle), 0.5 * speeds * np.cos(angle), -0.5 * speeds**2 * np.sin(angle)
    torque = inverse_dynamics(load_arm("ur5_controller"), q, qd, qdd)
    torque += np.random.default_rng(0).normal(0, noise, torque.shape)
    during = (time_s >= PUSHED[0]) & (time_s < PUSHED[1])
    torque[during] -= jacobian(load_arm("ur5_controller"), q[during])[:, :3].transpose(0, 2, 1) @ [
        0.0,
        0.0,
        -push,
    ]
    signals = {
        "q": q,
        "qd": qd,
        "q_ref": q,
        "qd_ref": qd,
        "qdd_ref": qdd,
        "current": torque / CONSTANT,
    }
    return label_signals(time_s, signals, "made up")


def telling(data):
    """A recording, ready to be told."""
    return source_of_recording(data, load_arm("ur5_controller"))


@contextmanager
def in_a_thread(told, speed: float = 50.0, port: int = 0) -> Iterator[Server]:
    """A server on a loopback address and any free port."""
    server, stopped = Server(told, "127.0.0.1", port, speed), threading.Event()
    thread = threading.Thread(target=server.serve, args=(stopped.is_set,))
    thread.start()
    try:
        yield server
    finally:
        stopped.set()
        thread.join()


@contextmanager
def in_a_process(host: str, *words: str) -> Iterator[subprocess.Popen]:
    """``hopfield-nav serve`` at the standard port of ``host``, once it listens."""
    command = [sys.executable, "-m", "hopfield_nav", "serve", *words, "--host", host]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = ""
        while "nothing that a client sends" not in line:
            line = process.stderr.readline()
            assert line, "the server ended before it listened"
        yield process
    finally:
        process.kill()
        process.communicate()


RECIPE = Recipe(1, WATCHED, tuple(FIELDS[name] for name in WATCHED))


def handshake(names=WATCHED):
    """What a source answers to a client of ours, up to the start."""
    types = [FIELDS[name] if name in names else "NOT_FOUND" for name in WATCHED]
    answers = package(packages.VERSION, b"\x01")
    answers += package(packages.CONTROLLER, packages.write_controller((3, 15, 0, 0)))
    answers += package(packages.OUTPUTS, packages.write_recipe(1, types))
    if len(names) < len(WATCHED):
        answers += package(
            packages.OUTPUTS, packages.write_recipe(1, [FIELDS[name] for name in names])
        )
    return answers + package(packages.START, b"\x01")


def data_package(told, k, recipe=RECIPE, **changed):
    values = told.values(k) | {
        name: np.full(told.values(k)[name].shape, x) for name, x in changed.items()
    }
    return package(packages.DATA, recipe.pack(recipe.row(values)))


def heard(address: tuple[str, int], judge=None, records=(), seconds: float = np.inf):
    """Everything that a watch of a source tells, until the source is gone, or ``seconds`` have passed."""
    link, monitor = Link(*address, WATCHED, retry=0.0), Monitor(judge, records)
    rows, notices = [], []
    for item in link.listen():
        for told in monitor.take(item, link):
            (notices if isinstance(told, Notice) else rows).append(told)
        if rows and rows[-1].time >= seconds:
            break
    return rows, notices, monitor


class Connection:
    """A connection that gives ``left`` without a network, and then others for ever, or its end."""

    def __init__(self, left: bytes = b"", then: bytes = b"") -> None:
        self.left, self._then = left, then

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def recv(self, size: int) -> bytes:
        given, self.left = self.left[:size], self.left[size:]
        return given or self._then

    def sendall(self, _: bytes) -> None:
        pass

    def settimeout(self, _: float) -> None:
        pass

    def setsockopt(self, *_: int) -> None:
        pass


@contextmanager
def bytes_served(*answers: bytes, close: bool = True) -> Iterator[tuple[str, int]]:
    """A source that sends each client in turn such bytes, whatever it asks; then closes, or is silent."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(0.1)
    over = threading.Event()

    def serve() -> None:
        left, open_ = list(answers), []
        while not over.is_set():
            with suppress(TimeoutError):
                connection, _ = listening.accept()
                connection.settimeout(1.0)
                with suppress(OSError):
                    connection.sendall(left.pop(0) if left else b"")
                if close:
                    connection.shutdown(socket.SHUT_WR)
                open_.append(connection)
        for connection in open_:
            connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listening.getsockname()
    finally:
        over.set()
        thread.join()
        listening.close()
