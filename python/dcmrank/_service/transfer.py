"""What does not fit into memory: exports and imports in pieces."""

from __future__ import annotations

import contextlib
import http.client
import io
import os
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from .attempt import Answer, read_part
from .errors import NoAnswer, ServiceError
from .exchange import Exchange
from .values import new_id


class Export:
    """An export as it arrives: lines of JSON, each ending in a newline. Iterate over it, or `save` it, once.

    If it breaks off, reading raises `NoAnswer`: what was read is a part, never taken for the whole.
    """

    def __init__(self, exchange: Exchange, answer: Answer) -> None:
        assert answer.stream is not None
        self._exchange = exchange
        self._connection, self._response = answer.stream
        self._process = os.getpid()
        self._done = False
        if not self._response.chunked and self._response.length is None:
            self.close()
            raise ServiceError("an export whose end cannot be told from a lost connection", status=200)

    def blocks(self) -> Iterator[bytes]:
        """Pieces of any size."""
        while block := self._read():
            yield block

    def __iter__(self) -> Iterator[bytes]:
        rest = b""
        for block in self.blocks():
            lines = (rest + block).split(b"\n")
            rest = lines.pop()
            for line in lines:
                yield line + b"\n"
        if rest:
            yield rest

    def save(self, path: str | os.PathLike[str]) -> int:
        """Writes it to a file, which appears whole or not at all; returns its size in bytes."""
        folder, name = os.path.split(os.path.abspath(path))
        part = os.path.join(folder, f".{name}.{new_id()}")
        try:
            with open(part, "xb") as out, self:
                size = sum(out.write(block) for block in self.blocks())
                out.flush()
                os.fsync(out.fileno())
            os.replace(part, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise
        return size

    def close(self) -> None:
        """Gives up what was not read yet."""
        if not self._done:
            self._done = True
            self._response.close()
            self._connection.close()

    def __enter__(self) -> Export:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _read(self) -> bytes:
        if self._process != os.getpid():
            raise RuntimeError("an export is read in the process that asked for it")
        if self._done:
            return b""
        try:
            block = read_part(self._response)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise NoAnswer("the export broke off") from error
        except BaseException:
            self.close()
            raise
        if not block:
            self._done = True
            self._exchange.give_back(self._connection)
        return block


@contextlib.contextmanager
def opened(source: object) -> Iterator[Any]:
    """What an import is read from: a path, bytes, or a file that is open for reading bytes."""
    try:
        if isinstance(source, (bytes, bytearray, memoryview)):
            yield _Source(io.BytesIO(source))
        elif isinstance(source, (str, os.PathLike)):
            with open(source, "rb") as file:
                yield _Source(file)
        elif hasattr(source, "read") and not isinstance(source, io.TextIOBase):
            yield _Source(source)
        else:
            raise TypeError(
                f"source must be a path, bytes or a file opened with 'rb', not {type(source).__name__}"
            )
    except _SourceFailed as failed:
        raise failed.reason from None


class _SourceFailed(Exception):
    """The file's fault, which must not be taken for the connection's."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(str(reason))
        self.reason = reason


class _Source(io.RawIOBase):
    """A file of bytes, which may be one that cannot go back, such as a pipe."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        try:
            data = self._file.read(size)
        except OSError as error:
            raise _SourceFailed(error) from error
        if not isinstance(data, bytes):
            raise TypeError(f"source.read() gave {type(data).__name__}, not bytes")
        return data

    def tell(self) -> int:
        try:
            return int(self._file.tell())
        except (AttributeError, OSError):
            return 0

    def seek(self, at: int, whence: int = 0) -> int:
        if not hasattr(self._file, "seek"):
            raise io.UnsupportedOperation("seek")
        return int(self._file.seek(at, whence))


def size_left(file: Any) -> int | None:
    """How many bytes follow; None if that is not known before they are read."""
    try:
        here = file.tell()
        end = file.seek(0, io.SEEK_END)
        file.seek(here)
    except (OSError, ValueError):
        return None
    return int(end - here)
