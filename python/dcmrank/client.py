"""A client of the ranking service (`dcmrank serve`).

    shop = dr.Client("http://127.0.0.1:8080")
    page = shop.rank("red shoes", ["a", "b", "c"], k=2)
    shop.click(page, "b")
    shop.close(page)

Pages and events carry ids that the client makes, so that a call that is sent again because its answer
was lost is counted once. It needs only the standard library.
"""

from __future__ import annotations

import ssl
import weakref
from types import TracebackType
from typing import Any

from ._service import checks
from ._service.address import parse_address
from ._service.application import ApplicationCalls
from ._service.caller import Caller
from ._service.errors import NoAnswer, ServiceError
from ._service.exchange import Exchange, Limits
from ._service.knowledge import KnowledgeCalls
from ._service.operations import OperationsCalls
from ._service.pool import Pool
from ._service.transfer import Export
from ._service.values import (
    Candidate,
    Click,
    Close,
    Contribution,
    Event,
    EventResult,
    Impression,
    LearnedItem,
    LearnedQuery,
    Page,
    QueryRounds,
    RankedItem,
    ServedModel,
)

__all__ = [
    "Candidate",
    "Click",
    "Client",
    "Close",
    "Contribution",
    "Event",
    "EventResult",
    "Export",
    "Impression",
    "LearnedItem",
    "LearnedQuery",
    "NoAnswer",
    "Page",
    "QueryRounds",
    "RankedItem",
    "ServedModel",
    "ServiceError",
]


class Client(ApplicationCalls, KnowledgeCalls, OperationsCalls):
    """A ranking service, as an application uses it.

    `url` is `http://HOST:PORT`, `https://HOST:PORT` (with a path, if a proxy needs one) or `unix:PATH`;
    `key` one of the service's keys; `model` the model for calls that name none.

    `timeout` is in seconds, per attempt: to connect, and for the answer; a pair `(connect, answer)`
    if they differ. Without an answer, and after status 429, 502, 503 or 504, a call is sent again up to
    `retries` times, after waits that double from 0.1 s to 5 s with a random part, or what `Retry-After`
    says; but no call waits longer than `patience` seconds in all. Other refusals raise a `ServiceError` at once.

    Up to `connections` connections stay open for the next call. `tls` is an `ssl.SSLContext` for
    certificates that the system does not know. One client serves any number of threads; after a fork the
    child opens connections of its own. Used in a `with`, it closes them at the end (`disconnect` does so at
    any time; `close` is about a page).

    >>> with dr.Client(url) as shop:
    ...     page = shop.rank("red shoes", ["a", "b", "c"], k=2)
    ...     result = shop.click(page, page[0].id)
    >>> len(page), result.status
    (2, 'accepted')
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        model: str | None = None,
        timeout: float | tuple[float, float] = (3.0, 10.0),
        retries: int = 5,
        patience: float = 30.0,
        connections: int = 16,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._address = parse_address(url)
        self._model = checks.optional_text(model, "model")
        if tls is not None and not isinstance(tls, ssl.SSLContext):
            raise TypeError(f"tls must be an ssl.SSLContext, not {type(tls).__name__}")
        connect, answer = checks.timeouts(timeout)
        limits = Limits(
            connect=connect,
            answer=answer,
            patience=checks.seconds(patience, "patience"),
            retries=checks.whole(retries, "retries", 0),
        )
        kept = checks.whole(connections, "connections", 0)
        self._given = {
            "key": key,
            "model": self._model,
            "timeout": (connect, answer),
            "retries": limits.retries,
            "patience": limits.patience,
            "connections": kept,
            "tls": tls,
        }
        context = tls or (ssl.create_default_context() if self._address.tls else None)
        pool = Pool(kept)
        exchange = Exchange(self._address, checks.key_header(key), context, limits, pool)
        self._caller = Caller(self._address, exchange)
        weakref.finalize(self, pool.clear)  # of a client that nobody said goodbye to

    def disconnect(self) -> None:
        """Closes the open connections. A later call opens new ones."""
        self._caller.exchange.pool.clear()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.disconnect()

    def __repr__(self) -> str:
        model = "" if self._model is None else f", model={self._model!r}"
        key = "" if self._given["key"] is None else ", key=..."
        return f"Client({self._address.url!r}{key}{model})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies are clients of the same service, with connections of their own, and the key."""
        return _client, (self._address.url, self._given)


def _client(url: str, given: dict[str, Any]) -> Client:
    return Client(url, **given)
