"""The page of a run that is still going, served to this machine alone."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hopfield_nav.view.template import page_text

LOOPBACK = "127.0.0.1"
_PATIENCE = 10.0  # [s] that the last page waits for a browser that was there, or is on its way


class LivePage:
    """A server with one page, which the browser loads anew when there is more to see.

    It listens on the loopback address, at a free port, and refuses requests for another host name.

    Attributes:
        address: of the page.
    """

    def __init__(self) -> None:
        self._text, self._version, self._done = b"", 0, False
        self._last_asked, self._fetched = time.monotonic(), threading.Event()
        self._server = ThreadingHTTPServer((LOOPBACK, 0), self._handler())
        self._server.daemon_threads = True
        self.address = f"http://{LOOPBACK}:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def show(self, description: dict[str, Any], done: bool = False) -> None:
        """Put a later state of the run on the page; ``done``: it is the last one."""
        version = self._version + 1
        live = {} if done else {"version": version}
        self._text = page_text({**description, "live": live} if live else description).encode()
        self._version, self._done = version, done

    def close(self) -> bool:
        """End the server when the last page was fetched or nobody comes for it; whether it was fetched."""
        self._last_asked = time.monotonic()
        while not self._fetched.wait(0.05):
            if time.monotonic() - self._last_asked > _PATIENCE:
                break
        self._server.shutdown()
        self._server.server_close()
        return self._fetched.is_set()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page._last_asked = time.monotonic()
                if self.headers.get("Host", "").partition(":")[0] != LOOPBACK:
                    self.send_error(403)
                elif self.path == "/":
                    done = page._done
                    self._answer(page._text, "text/html; charset=utf-8")
                    if done:
                        page._fetched.set()
                elif self.path == "/version":
                    self._answer(json.dumps(page._version).encode(), "application/json")
                else:
                    self.send_error(404)

            def _answer(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler
