"""One connection that is kept open: http.client's, with deadlines."""

from __future__ import annotations

import http.client
import io
import os
import select
import socket
import time
from typing import Any

from .address import Address

BLOCK = 1 << 16


class Wire:
    """The socket as http.client uses it. Whatever it does is done by `until`; reads wait at most `pause`.

    A socket's own timeout starts again with every byte: an answer of one byte per second would never end.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.until: float | None = None
        self.pause = 0.0
        self._held: list[bytes] | None = None

    def hurry(self) -> None:
        left = self.pause if self.until is None else min(self.pause, self.until - time.monotonic())
        if left <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left)

    def hold(self) -> None:
        """What is sent from now on waits for `release`: http.client sends head and body apart."""
        self._held = []

    def release(self) -> None:
        held, self._held = self._held, None
        if held:
            self.sendall(b"".join(held))

    def sendall(self, data: Any) -> None:
        if self._held is not None:
            self._held.append(data)
            return
        self.hurry()
        self._sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        assert mode == "rb"
        return io.BufferedReader(_HurriedReader(self, self._sock.makefile("rb", buffering=0)), BLOCK)

    def is_quiet(self) -> bool:
        """Whether nothing came while nothing was asked for: not closed by the other side."""
        poll = select.poll()
        poll.register(self._sock, select.POLLIN | select.POLLHUP | select.POLLERR)
        return not poll.poll(0)

    def close(self) -> None:
        self._sock.close()


class _HurriedReader(io.RawIOBase):
    def __init__(self, wire: Wire, raw: Any) -> None:
        self._wire = wire
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._wire.hurry()
        size: int | None = self._raw.readinto(buffer)
        return size

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class Connection(http.client.HTTPConnection):
    """Connected from the start, and never reconnects by itself. Belongs to the process that made it."""

    auto_open = 0

    def __init__(self, address: Address, wire: Wire) -> None:
        super().__init__(address.host, address.port or None, blocksize=BLOCK)
        self.wire = wire
        self.sock = wire
        self.process = os.getpid()
        self.used = False
        self.idle_since = 0.0

    def may_be_used(self, longest_idle: float) -> bool:
        return (
            self.process == os.getpid()
            and time.monotonic() - self.idle_since < longest_idle
            and self.sock is not None
            and self.wire.is_quiet()
        )
