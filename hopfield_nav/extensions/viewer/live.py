"""The page of a run that is still going, served to this machine alone."""

import json
import math
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hopfield_nav.extensions.viewer.template import page_text

LOOPBACK = "127.0.0.1"
MOST_CLIENTS = 32
_PATIENCE = 10.0  # [s] that the last page waits for a browser that was there, or is on its way
_SILENCE = 5.0  # [s] after which a client that neither asks nor reads is let go


class LivePage:
    """A server with one page at ``address``, which the browser loads anew when there is more to see.

    It listens on the loopback address, at a free port, and refuses requests for another host name.
    """

    def __init__(self) -> None:
        self._text, self._version, self._done = b"", 0, False
        self._last_seen, self._fetched = -math.inf, threading.Event()
        self._server = _PageServer((LOOPBACK, 0), self._handler())
        self.address = f"http://{LOOPBACK}:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def show(self, description: dict[str, Any], done: bool = False) -> None:
        """Put a later state of the run on the page; ``done``: it is the last one."""
        version = self._version + 1
        if version == 1:  # now a browser is sent for
            self._last_seen = time.monotonic()
        live = {} if done else {"version": version}
        self._text = page_text({**description, "live": live} if live else description).encode()
        self._version, self._done = version, done

    def close(self) -> bool:
        """End the server when the last page was fetched or nobody comes for it; whether it was fetched.

        It waits no longer than for a browser on its way, whatever clients do.
        """
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < min(end, self._last_seen + _PATIENCE) and not self._fetched.wait(0.05):
            pass
        self._server.shutdown()
        self._server.server_close()
        return self._fetched.is_set()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        page = self

        class Handler(BaseHTTPRequestHandler):
            timeout = _SILENCE

            def do_GET(self) -> None:
                if self.headers.get("Host", "").partition(":")[0] != LOOPBACK:
                    self.send_error(403)
                    return
                page._last_seen = time.monotonic()
                if self.path == "/":
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


class _PageServer(ThreadingHTTPServer):
    """A thread for each of the last ``MOST_CLIENTS`` clients; a new one takes the place of the oldest."""

    daemon_threads = True
    request_queue_size = 4 * MOST_CLIENTS  # that wait for theirs

    def __init__(self, *arguments: Any) -> None:
        self._there: dict[socket.socket, None] = {}  # oldest first
        self._lock = threading.Lock()
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            while len(self._there) >= MOST_CLIENTS:
                self._let_go(next(iter(self._there)))
            self._there[request] = None
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._there.pop(request, None)
        super().shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        with self._lock:
            for request in list(self._there):
                self._let_go(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that breaks off is no fault of ours."""

    def _let_go(self, request: socket.socket) -> None:
        """Its thread finds the connection closed, and ends."""
        del self._there[request]
        with suppress(OSError):
            request.shutdown(socket.SHUT_RDWR)
