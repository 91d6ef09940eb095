"""One attempt to have a request answered, and what its failure means for the next one."""

from __future__ import annotations

import errno
import http.client
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .address import Address
from .connection import BLOCK, Connection, Wire

LARGEST_ANSWER = 256 << 20
_COMES_AGAIN = {errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAGAIN}


@dataclass(frozen=True, slots=True)
class Request:
    """`repeatable`: sent twice, it has the same effect as once. `stream`: the answer is read in pieces."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any = None  # bytes, or a file
    repeatable: bool = True
    stream: bool = False
    wait: float | None = None  # for the answer, where that is another time than the client's


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes = b""
    stream: tuple[Connection, http.client.HTTPResponse] | None = field(default=None, repr=False)


class Failure(Exception):
    """No answer. `sent`: the service may have done what was asked. `again`: the next attempt may succeed.

    `stale`: the other side had closed a connection that was waiting for its next request.
    """

    def __init__(self, message: str, *, sent: bool, again: bool, stale: bool = False) -> None:
        super().__init__(message)
        self.sent = sent
        self.again = again
        self.stale = stale


def connect(address: Address, context: ssl.SSLContext | None, timeout: float) -> Connection:
    try:
        return Connection(address, Wire(address.connect(context, timeout)))
    except TimeoutError as error:
        message = f"no connection to {address.url} within {timeout:.3g} s"
        raise Failure(message, sent=False, again=True) from error
    except (OSError, ValueError) as error:  # ValueError: a name that no name server can be asked for
        message = f"no connection to {address.url}: {_reason(error)}"
        raise Failure(message, sent=False, again=_may_come(error)) from error


def perform(connection: Connection, address: Address, request: Request, until: float) -> Answer:
    """Sends and reads. The connection can be used again if this did not fail and it is still open."""
    wire = connection.wire
    wire.pause = max(until - time.monotonic(), 0.001)
    wire.until = until
    took = wire.pause
    answering = False
    try:
        _send(connection, address, request)
        response = connection.getresponse()
        answering = True
        if request.stream and response.status == 200:
            wire.until = None
            return Answer(200, response.headers, stream=(connection, response))
        with response:  # it holds the socket even where the connection has let go of it
            return Answer(response.status, response.headers, _read_all(response))
    except TimeoutError as error:
        raise Failure(f"{address.url} did not answer within {took:.3g} s", sent=True, again=True) from error
    except (ConnectionError, http.client.IncompleteRead, ssl.SSLError) as error:
        stale = connection.used and not answering and isinstance(error, ConnectionError)
        message = f"{address.url} closed the connection before its answer was complete"
        raise Failure(message, sent=True, again=True, stale=stale) from error
    except (http.client.HTTPException, OSError) as error:
        message = f"what answers at {address.url} does not speak proper HTTP: {_reason(error)}"
        raise Failure(message, sent=True, again=False) from error


def _send(connection: Connection, address: Address, request: Request) -> None:
    headers = {"Host": address.named, **request.headers}
    if isinstance(request.body, bytes):
        connection.wire.hold()
    try:
        connection.request(request.method, address.prefix + request.path, request.body, headers)
        connection.wire.release()
    except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
        if request.body is None:
            raise
        # A service that refuses a body need not read it to the end: its answer may be there.


def _read_all(response: http.client.HTTPResponse) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := read_part(response):
        parts.append(part)
        size += len(part)
        if size > LARGEST_ANSWER:
            raise http.client.HTTPException(f"an answer of more than {LARGEST_ANSWER} bytes")
    return b"".join(parts)


def read_part(response: http.client.HTTPResponse) -> bytes:
    """The next bytes; none at the end, which http.client alone does not tell from a lost connection."""
    part = response.read(BLOCK)
    if not part and response.length:
        raise http.client.IncompleteRead(part, response.length)
    return part


def _may_come(error: Exception) -> bool:
    if isinstance(error, socket.gaierror):
        return error.errno == socket.EAI_AGAIN
    if isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
        return True
    if isinstance(error, (ConnectionError, FileNotFoundError)):
        return True
    return isinstance(error, OSError) and error.errno in _COMES_AGAIN


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
