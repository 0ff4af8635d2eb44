"""A forward proxy on loopback: it passes requests on, and digs tunnels for https."""

from __future__ import annotations

import contextlib
import select
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

_OWN = ("proxy-connection", "connection", "keep-alive", "proxy-authorization")


@dataclass
class Proxy:
    """`seen` holds what came in, as (method, target, headers); with a `refusal` every request
    ends with that status.
    """

    url: str = ""
    refusal: int = 0
    seen: list[tuple[str, str, Mapping[str, str]]] = field(default_factory=list)


@contextlib.contextmanager
def proxy(refusal: int = 0) -> Iterator[Proxy]:
    """A proxy that runs until the block ends."""
    made = Proxy(refusal=refusal)

    class Bound(_Handler):
        proxy = made

    server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
    server.daemon_threads = True
    made.url = f"http://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    proxy: Proxy
    timeout = 30

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Says nothing: `seen` holds what came in."""

    def _refused(self) -> bool:
        headers = {key.lower(): value for key, value in self.headers.items()}
        self.proxy.seen.append((self.command, self.path, headers))
        if self.proxy.refusal:
            self.send_response(self.proxy.refusal)
            self.send_header("Content-Length", "0")
            self.end_headers()
        return bool(self.proxy.refusal)

    def do_GET(self) -> None:
        if self._refused():
            return
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {k: v for k, v in self.headers.items() if k.lower() not in _OWN}
        onward = HTTPConnection(parts.netloc, timeout=30)
        onward.request(self.command, f"{parts.path}?{parts.query}", body, headers)
        answer = onward.getresponse()
        self.send_response(answer.status)
        data = answer.read()
        for key, value in answer.getheaders():
            if key.lower() not in ("server", "date", "connection"):
                self.send_header(key, value)
        self.end_headers()
        self.wfile.write(data)
        onward.close()

    do_POST = do_GET  # noqa: N815 - the base's names

    def do_CONNECT(self) -> None:
        if self._refused():
            return
        host, _, port = self.path.partition(":")
        with socket.create_connection((host, int(port)), timeout=30) as onward:
            self.send_response(200)
            self.end_headers()
            self._pass_on(onward)
        self.close_connection = True

    def _pass_on(self, onward: socket.socket) -> None:
        """Bytes both ways until one side ends."""
        other = {self.connection: onward, onward: self.connection}
        while True:
            ready, _, _ = select.select(list(other), [], [], 30)
            for side in ready:
                data = side.recv(65_536)
                if not data:
                    return
                other[side].sendall(data)
            if not ready:
                return
