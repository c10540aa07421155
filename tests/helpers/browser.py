"""A browser without a window, driven by the DevTools protocol through two pipes."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import shutil
import subprocess
import time

import numpy as np
import pytest
from PIL import Image

NAMES = ("chromium", "chromium-browser", "google-chrome")
MUST = "HOPFIELD_NAV_BROWSER"  # set by .ci/run: there the browser must be found
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
    "--disable-extensions", "--disable-background-networking", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--window-size=1280,800", "--remote-debugging-pipe",
)  # fmt: skip
_LONGEST = 120.0  # [s] to wait for an answer; a machine may be busy


def find_browser() -> str:
    """The program's path; skips the test where there is none, and fails it where there must be one."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        (pytest.fail if os.environ.get(MUST) else pytest.skip)(
            "no Chromium: apt-get install chromium"
        )
    return path


class NoAnswer(AssertionError):
    """The browser refused a question, as it does between two pages."""


class Browser:
    """A browser with one page.

    Attributes:
        events: what it told without being asked: (method, parameters).
    """

    def __init__(self, folder) -> None:
        to_read, self._out = os.pipe()
        self._in, to_write = os.pipe()
        command = [find_browser(), *_FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "bash", *command],
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(folder)},
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        self._left, self._asked, self._session = b"", 0, None
        self.events: list[tuple[str, dict]] = []
        page = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters):
        """Call a method of the protocol; its result."""
        self._asked += 1
        message = {"id": self._asked, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._asked:
                if "error" in answer:
                    raise NoAnswer(answer)
                return answer["result"]
            self.events.append((answer.get("method", ""), answer.get("params", {})))

    def _next(self) -> dict:
        until = time.monotonic() + _LONGEST
        while b"\0" not in self._left:
            part = os.read(self._in, 1 << 20)
            assert part, "the browser has ended"
            assert time.monotonic() < until, "the browser does not answer"
            self._left += part
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)

    def open(self, address: str) -> None:
        """Go to a page and wait until it is loaded."""
        self.events.clear()
        self.ask("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, code: str):
        """The value of an expression in the page."""
        answer = self.ask(
            "Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until an expression of the page is true."""
        until = time.monotonic() + _LONGEST
        while time.monotonic() < until:
            with contextlib.suppress(NoAnswer):  # while the page is loaded anew
                if self.run(condition):
                    return
            time.sleep(0.05)
        raise AssertionError(condition)

    def picture(self) -> np.ndarray:
        """What is seen, (height, width, 3) uint8."""
        data = base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))

    def faults(self) -> list[str]:
        """Errors and warnings that the page wrote, and exceptions that nobody caught."""
        told = []
        for method, about in self.events:
            if method == "Runtime.exceptionThrown":
                told.append(str(about["exceptionDetails"]))
            if method == "Runtime.consoleAPICalled" and about["type"] in (
                "error",
                "warning",
                "assert",
            ):
                told.append(str(about["args"]))
            if method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
                told.append(about["entry"]["text"])
        return told

    def requests(self) -> list[str]:
        """Every address that the page asked for."""
        return [
            about["request"]["url"]
            for method, about in self.events
            if method == "Network.requestWillBeSent"
        ]

    def close(self) -> None:
        """End the browser."""
        self._session = None
        os.write(self._out, json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
