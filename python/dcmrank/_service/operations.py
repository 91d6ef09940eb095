"""What an operator calls: export, import, and the state of the service."""

from __future__ import annotations

from typing import Any

from . import checks, transfer
from .attempt import Request
from .caller import path
from .calls import Calls
from .transfer import Export


class OperationsCalls(Calls):
    """Copies all that was learned, and shows the state of the service."""

    def export(self) -> Export:
        """All that was learned, exactly, as lines of JSON that are read as they come.

        >>> with shop.export() as lines:
        ...     first = next(iter(lines))
        >>> first[:1]
        b'{'
        """
        exchange = self._caller.exchange
        return Export(exchange, exchange.send(Request("GET", path("v1", "export"), {}, stream=True)))

    def import_(self, source: Any, *, model: str | None = None, timeout: float = 600.0) -> int:
        """Adds an export, or a model file of `dcmrank fit`, to what is there; returns the number of queries.

        `source` is a path, bytes, or a file opened with `rb`; `model` is where a model file counts; `timeout`
        is for the whole import. **An import adds, so it is sent again only if it certainly had no effect.**
        If its answer is lost (`NoAnswer`), look at what is there before you repeat it.

        >>> with shop.export() as lines:
        ...     shop.import_(b"".join(lines)) > 0
        True
        """
        asked = checks.optional_text(model, "model") or self._model
        target = path("v1", "import", model=asked)
        wait = checks.seconds(timeout, "timeout")
        with transfer.opened(source) as file:
            size = transfer.size_left(file)
            headers = {"Content-Type": "application/x-ndjson"}
            if size is not None:
                headers["Content-Length"] = str(size)
            request = Request("POST", target, headers, file, repeatable=False, wait=wait)
            return self._caller.record(request).count("imported")

    def health(self) -> bool:
        """Whether the service answers. Asks once, and never raises for its absence.

        >>> shop.health()
        True
        """
        return self._caller.is_ok("healthz")

    def ready(self) -> bool:
        """Whether feedback can be stored. Asks once, and never raises for its absence.

        >>> shop.ready()
        True
        """
        return self._caller.is_ok("readyz")

    def metrics(self) -> str:
        """The service's metrics, as Prometheus reads them.

        >>> "dcmrank_storage_ok 1" in shop.metrics()
        True
        """
        answer = self._caller.exchange.send(Request("GET", path("metrics"), {}))
        return answer.body.decode("utf-8", "replace")
