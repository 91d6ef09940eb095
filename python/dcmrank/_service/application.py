"""What an application calls all the time: pages, clicks, the end of a visit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import answers, checks
from .calls import Calls
from .errors import ServiceError
from .values import Candidate, Click, Close, Event, EventResult, Page, new_id


class ApplicationCalls(Calls):
    """Ranks, and reports what users did."""

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

        `k` is otherwise the model's, or the number of items if that is smaller. A `Candidate` brings a
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
        """Reports a click on an item of a page (or of the impression with that id). Returns once it is on the disk.

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
        """Reports any number of events, and returns the result of each, in order.

        Many events go in several requests. If one of these fails, those before it are stored: send the same
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

    def _click(self, page: Page | str, item: str, model: str | None) -> Click:
        impression, named = self._impression(page, model)
        clicked = checks.text(item, "item")
        if isinstance(page, Page) and clicked not in page.ids:
            raise ValueError(f"item {clicked!r} is not in the page")
        return Click(impression, clicked, named)

    def _report(self, events: list[Event]) -> tuple[EventResult, ...]:
        """As `feedback`, but an event that will never be accepted is an error."""
        results = self.feedback(events)
        for result in results:
            if result.status == "rejected":
                raise ServiceError(result.reason or "rejected", status=200, code="rejected")
        return results
