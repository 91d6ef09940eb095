"""A client of the ranking service (`dcmrank serve`).

    shop = dr.Client("http://127.0.0.1:8080")
    page = shop.rank("red shoes", ["a", "b", "c"], k=2)
    shop.click(page, "b")
    shop.close(page)

Pages and events carry ids that the client makes, so that a call which is sent again, because its answer
was lost, is counted once. The standard library is all that it needs.
"""

from __future__ import annotations

import ssl
import weakref
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any

from ._service import answers, checks, transfer
from ._service.address import parse_address
from ._service.attempt import Request
from ._service.caller import Caller, path
from ._service.errors import NoAnswer, ServiceError
from ._service.exchange import Exchange, Limits
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
    new_id,
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


class Client:
    """A ranking service, as an application uses it.

    `url` is `http://HOST:PORT`, `https://HOST:PORT` (with a path, where a proxy wants one) or `unix:PATH`;
    `key` one of the service's keys; `model` the model that is meant where a call names none.

    `timeout` is in seconds: to connect, and to have the answer, each attempt; a pair `(connect, answer)`
    where they differ. Without an answer, and after status 429, 502, 503 or 504, a call is sent again up to
    `retries` times, after waits that double from 0.1 s to 5 s with a random part, or what `Retry-After`
    says; but no call waits longer than `patience` seconds in all. Other refusals are a `ServiceError` at once.

    Up to `connections` connections wait open for the next call. `tls` is an `ssl.SSLContext` for
    certificates that the system does not know. One client serves any number of threads; after a fork the
    child opens connections of its own. Used in a `with`, it closes them at the end (`disconnect` does so at
    any time; `close` is what happens to a page).

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

    # ---- what an application does all the time

    def rank(
        self,
        query: str,
        items: Iterable[str | Candidate | Mapping[str, Any]],
        k: int | None = None,
        *,
        id: str | None = None,
        model: str | None = None,
        user: str | None = None,
        durable: bool = False,
    ) -> Page:
        """The order of the candidates for a query: the `k` best, in the order to show them.

        `k` is otherwise the model's, or the number of items where that is less. A `Candidate` brings a
        prior. `id` is the impression's, if you have one: the same request again gets the same page.
        `durable`: the answer comes when the page is stored, and no crash loses it.

        >>> page = shop.rank("red shoes", ["a", dr.Candidate("b", observed=20, attracted=3), "c"], k=2)
        >>> [item.position for item in page]
        [1, 2]
        """
        body: dict[str, Any] = {
            "query": checks.text(query, "query"),
            "items": checks.candidates(items),
            "id": checks.optional_text(id, "id") or new_id(),
        }
        if k is not None:
            body["k"] = checks.whole(k, "k", 1)
        named = checks.optional_text(model, "model") or self._model
        if named is not None:
            body["model"] = named
        if user is not None:
            body["user"] = checks.text(user, "user")
        if checks.truth(durable, "durable"):
            body["durable"] = True
        return answers.page(self._caller.post("rank", body), body["query"])

    def click(self, page: Page | str, item: str, *, model: str | None = None) -> EventResult:
        """Reports a click on an item of a page (or of the impression of that id). It is on the disk then.

        >>> page = shop.rank("red shoes", ["a", "b", "c"])
        >>> shop.click(page, "b")
        EventResult(status='accepted', reason=None)
        >>> shop.click(page, "b").status          # only the set of clicks matters
        'duplicate'
        """
        return self._report([self._click(page, item, model)])[0]

    def clicks(
        self, page: Page | str, items: Iterable[str], *, model: str | None = None
    ) -> tuple[EventResult, ...]:
        """Reports several clicks on a page in one request.

        >>> page = shop.rank("red shoes", ["a", "b", "c"])
        >>> [result.status for result in shop.clicks(page, ["c", "a"])]
        ['accepted', 'accepted']
        """
        return self._report([self._click(page, item, model) for item in checks.several(items, "items")])

    def close(self, page: Page | str, *, seen: int | None = None, model: str | None = None) -> EventResult:
        """Says that the user left the page: it teaches now. `seen`: how many positions were on the screen.

        A page that is never closed teaches after the model's `close_after`.

        >>> page = shop.rank("red shoes", ["a", "b", "c"])
        >>> shop.close(page, seen=2).status
        'accepted'
        """
        impression, named = self._impression(page, model)
        return self._report([Close(impression, seen, named)])[0]

    def feedback(self, events: Iterable[Event | Mapping[str, Any]]) -> tuple[EventResult, ...]:
        """Reports any number of events, and says what became of each, in order.

        Many events go in several requests. Where one of these fails, those before are stored: send the same
        `Click` and `Close` objects again, whose ids make them count once.

        >>> page = shop.rank("red shoes", ["a", "b", "c"])
        >>> events = [dr.Click(page.impression, "c"), dr.Close(page.impression)]
        >>> [result.status for result in shop.feedback(events)]
        ['accepted', 'accepted']
        >>> [result.status for result in shop.feedback(events)]
        ['duplicate', 'duplicate']
        """
        given = checks.several(events, "events")
        return self._caller.report(
            [checks.event(one, f"events[{n}]", self._model) for n, one in enumerate(given)]
        )

    # ---- what was learned

    def query(self, query: str, *, model: str | None = None) -> LearnedQuery:
        """What was learned of a query.

        >>> shop.close(shop.rank("blue shoes", ["a", "b"])).status
        'accepted'
        >>> learned = shop.query("blue shoes")
        >>> learned.rounds, learned["a"].observed
        (1, 1.0)
        """
        return answers.learned_query(self._caller.get(*self._query_path(query, model)))

    def queries(self, *, model: str | None = None) -> Iterator[QueryRounds]:
        """All queries of a model by name, fetched as they are read.

        >>> shop.close(shop.rank("green shoes", ["a", "b"])).status
        'accepted'
        >>> [entry.rounds for entry in shop.queries() if entry.query == "green shoes"]
        [1]
        """
        return self._caller.queries(self._named(model))

    def impression(self, page: Page | str, *, model: str | None = None) -> Impression:
        """A page as it was recorded: its clicks, its state, what it contributed.

        >>> page = shop.rank("red shoes", ["a", "b", "c"], durable=True)
        >>> shop.impression(page).state
        'open'
        """
        impression, named = self._impression(page, model)
        return answers.impression(self._caller.get("v1", "impressions", impression, model=named))

    # ---- models

    def models(self) -> tuple[ServedModel, ...]:
        """All models of the service.

        >>> shop.models()[0].name
        'default'
        """
        return self._caller.get("v1", "models").list("models", answers.served_model)

    def put_model(
        self,
        name: str,
        *,
        policy: str | None = None,
        k: int | None = None,
        close_after: str | None = None,
        mode: str | None = None,
    ) -> ServedModel:
        """Makes a model, or changes what is given of one.

        `close_after` is a time such as `30m`; `mode` is `online`, or `shadow`: pages come in your own order.

        >>> shop.put_model("trial", policy="dcm-kl-ucb", k=5, mode="shadow").k
        5
        """
        body = {
            "policy": checks.optional_text(policy, "policy"),
            "k": None if k is None else checks.whole(k, "k", 1),
            "close_after": checks.optional_text(close_after, "close_after"),
            "mode": checks.optional_text(mode, "mode"),
        }
        return answers.served_model(self._caller.put("v1", "models", checks.text(name, "name"), body=body))

    # ---- erasure: rows and text, from every file of the service

    def erase_query(self, query: str, *, model: str | None = None) -> None:
        """Erases a query, its pages and all that was learned of it."""
        self._caller.erase(*self._query_path(query, model))

    def erase_item(self, query: str, item: str, *, model: str | None = None) -> None:
        """Erases an item of a query, also from the pages that it was in."""
        self._caller.erase(*self._query_path(query, model), "items", checks.text(item, "item"))

    def erase_impression(self, page: Page | str, *, model: str | None = None) -> None:
        """Erases a page, its clicks and what it taught."""
        impression, named = self._impression(page, model)
        self._caller.erase("v1", "impressions", impression, model=named)

    def erase_model(self, name: str) -> None:
        """Erases a model and all that belongs to it.

        >>> shop.put_model("short-lived").name
        'short-lived'
        >>> shop.erase_model("short-lived")
        """
        self._caller.erase("v1", "models", checks.text(name, "name"))

    # ---- all of it, and operations

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
        is for the whole of it. **An import adds, so it is sent again only where it surely was not taken.**
        Where its answer is lost (`NoAnswer`) look at what is there before you repeat it.

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

    # ---- the client itself

    def disconnect(self) -> None:
        """Closes the connections that wait. A later call opens new ones."""
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

    # ---- how

    def _click(self, page: Page | str, item: str, model: str | None) -> Click:
        impression, named = self._impression(page, model)
        clicked = checks.text(item, "item")
        if isinstance(page, Page) and clicked not in page.ids:
            raise ValueError(f"item {clicked!r} is not in the page")
        return Click(impression, clicked, named)

    def _report(self, events: list[Event]) -> tuple[EventResult, ...]:
        """As `feedback`, but an event that nobody will ever take is an error."""
        results = self.feedback(events)
        for result in results:
            if result.status == "rejected":
                raise ServiceError(result.reason or "rejected", status=200, code="rejected")
        return results

    def _named(self, model: str | None) -> str:
        return checks.optional_text(model, "model") or self._model or "default"

    def _impression(self, page: Page | str, model: str | None) -> tuple[str, str | None]:
        impression, owner = checks.impression(page)
        return impression, checks.optional_text(model, "model") or owner or self._model

    def _query_path(self, query: str, model: str | None) -> tuple[str, ...]:
        return "v1", "models", self._named(model), "queries", checks.text(query, "query")


def _client(url: str, given: dict[str, Any]) -> Client:
    return Client(url, **given)
