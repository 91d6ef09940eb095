"""Connections that wait for their next request."""

from __future__ import annotations

import time
from collections import deque

from .connection import Connection


class Pool:
    """Keeps up to `most` connections open.

    Threads share it without a lock, whose state a fork in the middle would copy: a deque's own operations
    are atomic. A connection that was made before a fork is left to its process.
    """

    # The service closes after 75 s, proxies often after 60.
    LONGEST_IDLE = 50.0

    def __init__(self, most: int) -> None:
        self._most = most
        self._idle: deque[Connection] = deque()

    def take(self) -> Connection | None:
        """The connection that was used last and still works."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            if connection.may_be_used(self.LONGEST_IDLE):
                return connection
            connection.close()

    def give(self, connection: Connection) -> None:
        if len(self._idle) >= self._most:
            connection.close()
            return
        connection.used = True
        connection.idle_since = time.monotonic()
        self._idle.append(connection)

    def clear(self) -> None:
        while True:
            try:
                self._idle.pop().close()
            except IndexError:
                return
