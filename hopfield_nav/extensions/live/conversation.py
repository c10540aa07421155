"""What the served arm says to one client.

Its answers, and data packages once the client has asked for them. Inputs are refused: what is
served here cannot be moved from outside.
"""

import math

from dynamics import BadInput, nearest_name
from hopfield_nav.extensions.live import packages
from hopfield_nav.extensions.live.packages import Splitter, package
from hopfield_nav.extensions.live.recipe import FIELDS, NOT_FOUND, Recipe
from hopfield_nav.extensions.live.source import Source


class Conversation:
    """One client of a served log.

    ``waiting`` bytes are to be sent; ``over`` says whether the connection is to be closed after
    them. ``playing``: the client has asked for data, of which so many packages were ``sent``.
    """

    def __init__(self, telling: Source) -> None:
        self._telling, self._splitter = telling, Splitter()
        self._recipe: Recipe | None = None
        self._frequency, self._step = telling.rate, 0.0
        self._spoken = False
        self.waiting = bytearray()
        self.playing = self.over = False
        self.sent = 0

    def hear(self, received: bytes) -> None:
        """Answer what the client sent; a fault is answered in words, and one of framing ends it."""
        try:
            arrived = self._splitter.feed(received)
        except BadInput as error:
            self._end(str(error))
            return
        for kind, payload in arrived:
            if self.over:
                return
            try:
                self._answer(kind, payload)
            except BadInput as error:
                self._say(str(error))
                if kind in (packages.VERSION, packages.OUTPUTS):
                    self._end("")

    def taken(self) -> bytes:
        """The bytes that wait to be sent; they wait no more."""
        given = bytes(self.waiting)
        self.waiting.clear()
        return given

    def tell(self, k: int) -> None:
        """Row ``k`` of the log, if the client's own frequency has come round to it."""
        if not self.playing or self.over or self._recipe is None:
            return
        self._step += self._frequency / self._telling.rate
        if self._step < 1.0 - 1e-6:
            return
        self._step = max(self._step - 1.0, 0.0)
        self._send(packages.DATA, self._recipe.pack(self._recipe.row(self._telling.values(k))))
        self.sent += 1

    def _answer(self, kind: int, payload: bytes) -> None:
        if kind == packages.VERSION:
            self._agree(packages.read_version(payload))
        elif kind == packages.CONTROLLER:
            self._send(packages.CONTROLLER, packages.write_controller(self._telling.version))
        elif not self._spoken:
            self._end("ask for version 2 of the protocol first")
        elif kind == packages.OUTPUTS:
            self._set_up(*packages.read_outputs(payload))
        elif kind == packages.INPUTS:
            names = packages.read_names(payload)
            self._say("inputs are refused: this arm cannot be moved from outside")
            self._send(packages.INPUTS, packages.write_recipe(0, [NOT_FOUND] * len(names)))
        elif kind == packages.START:
            self.playing = self._recipe is not None
            if not self.playing:
                self._say("ask for outputs first")
            self._send(packages.START, bytes([self.playing]))
        elif kind == packages.PAUSE:
            self.playing = False
            self._send(packages.PAUSE, b"\x01")
        elif kind not in (packages.TEXT, packages.DATA):
            self._say(f"unknown kind of package: {kind}", "warning")

    def _agree(self, version: int) -> None:
        self._spoken = version == packages.PROTOCOL
        self._send(packages.VERSION, bytes([self._spoken]))
        if not self._spoken:
            self._end(
                f"version {version} of the protocol is not spoken here; allowed: {packages.PROTOCOL}"
            )

    def _set_up(self, frequency: float, names: list[str]) -> None:
        if not names:
            raise BadInput("no fields were asked for")
        types, missing = (
            [FIELDS.get(name, NOT_FOUND) for name in names],
            [name for name in names if name not in FIELDS],
        )
        if missing:
            near = nearest_name(missing[0], FIELDS)
            hint = f". Did you mean {near!r}?" if near else ""
            self._say(f"unknown field{'s' * (len(missing) > 1)}: {', '.join(missing)}{hint}")
            self._send(packages.OUTPUTS, packages.write_recipe(0, types))
            return
        if not (math.isfinite(frequency) and 0.0 < frequency <= 1000.0):
            raise BadInput("no such frequency", found=frequency, allowed="above 0, at most 1000 Hz")
        self._recipe = Recipe(1, tuple(names), tuple(types))
        self._frequency = min(frequency, self._telling.rate)
        self._step = 1.0 - self._frequency / self._telling.rate  # the first row is told at once
        self._send(packages.OUTPUTS, packages.write_recipe(1, types))

    def _say(self, words: str, level: str = "error") -> None:
        self._send(packages.TEXT, packages.write_text(words, level))

    def _end(self, words: str) -> None:
        if words:
            self._say(words)
        self.over, self.playing = True, False

    def _send(self, kind: int, payload: bytes) -> None:
        self.waiting += package(kind, payload)
