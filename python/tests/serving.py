"""The real service for tests, and one that answers what a test wants."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import socketserver
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cases import COMMAND


def command() -> str:
    """The dcmrank command; where there is none the test is skipped."""
    found = str(COMMAND) if COMMAND.exists() else shutil.which("dcmrank")
    if not found:
        pytest.skip(f"no dcmrank command: {COMMAND} is not there, nor is it on the PATH (DCMRANK_COMMAND)")
    return found


class Server:
    """`dcmrank serve` that can be stopped, killed and started again at the same address."""

    def __init__(self, folder: Path, *options: str, listen: str = "127.0.0.1:0") -> None:
        self.folder = folder
        self._options = options
        self._listen = listen
        self._process: subprocess.Popen[str] | None = None
        self.url = ""
        self.start()

    def start(self) -> None:
        arguments = [command(), "serve", "--listen", self._listen, "--data", str(self.folder / "data")]
        log = open(self.folder / "serve.log", "a")
        with log:
            self._process = subprocess.Popen(
                [*arguments, *self._options], stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith("listening on "), (self.folder / "serve.log").read_text()
        self.url = line.removeprefix("listening on ").strip()
        if not self._listen.startswith("unix:"):
            self._listen = self.url.split("//")[1]  # the same port from now on

    def kill(self) -> None:
        self._end("kill")

    def stop(self) -> None:
        self._end("terminate")

    def restart(self) -> None:
        self.stop()
        self.start()

    def _end(self, how: str) -> None:
        if self._process is not None:
            getattr(self._process, how)()
            self._process.wait(60)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stopped by SIGSTOP meanwhile: all its threads, which on a busy machine run on for a moment."""
        threads = Path(f"/proc/{self.pid}/task")
        os.kill(self.pid, signal.SIGSTOP)
        try:
            wait_until(lambda: all(_state(thread) == "T" for thread in threads.iterdir()))
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)

    def verify(self) -> str:
        """`dcmrank verify`, which recounts; the service must not be running."""
        done = subprocess.run(
            [command(), "verify", "--data", str(self.folder / "data")], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def _state(thread: Path) -> str:
    return (thread / "stat").read_text().rsplit(")", 1)[1].split()[0]


class RawServer:
    """Gives each connection, with its number, to a function that says what goes wrong on it."""

    def __init__(self, behave: Callable[[socket.socket, int], None]) -> None:
        self.connections = 0
        self.requests: list[bytes] = []
        counting = threading.Lock()
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with counting:
                    outer.connections += 1
                    number = outer.connections
                try:
                    behave(self.request, number)
                except OSError:
                    pass

        class Listener(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 64

        self._server = Listener(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def read(self, sock: socket.socket) -> bytes:
        """A whole request: its head and its body."""
        data = b""
        while b"\r\n\r\n" not in data:
            part = sock.recv(65536)
            if not part:
                return b""
            data += part
        head, body = data.split(b"\r\n\r\n", 1)
        sizes = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        size = int(sizes[0].split(b":")[1]) if sizes else 0
        while len(body) < size:
            body += sock.recv(65536)
        self.requests.append(head + b"\r\n\r\n" + body)
        return self.requests[-1]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


Raw = Callable[[Callable[[socket.socket, int], None]], RawServer]


def answer(body: bytes | str, status: str = "200 OK", *headers: str) -> bytes:
    data = body.encode() if isinstance(body, str) else body
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(data)}", "Content-Type: application/json", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + data


PAGE = (
    '{"impression":"i","model":"default","round":1,"policy":"ubm-ts",'
    '"items":[{"id":"a","position":1,"score":1.0,"estimate":0.5}]}'
)
OK = '{"status":"ok"}'


def wait_until(what: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def always(made: bytes) -> Callable[[socket.socket, int], None]:
    """Answers each request so."""

    def behave(sock: socket.socket, number: int) -> None:
        while b"\r\n\r\n" in sock.recv(65536):
            sock.sendall(made)

    return behave


def ids_of(requests: list[bytes]) -> list[str]:
    return [json.loads(request.split(b"\r\n\r\n", 1)[1])["id"] for request in requests]
