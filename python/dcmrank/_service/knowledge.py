"""What a service has learned: queries, pages, models, and their erasure."""

from __future__ import annotations

from collections.abc import Iterator

from . import answers, checks
from .calls import Calls
from .values import Impression, LearnedQuery, Page, QueryRounds, ServedModel


class KnowledgeCalls(Calls):
    """Shows what was learned, creates models, and erases: rows and text, from every file of the service."""

    def query(self, query: str, *, model: str | None = None) -> LearnedQuery:
        """What was learned about a query.

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
        """Creates a model, or changes what is given.

        `close_after` is a time such as `30m`, or `service`: that of the service. `mode` is `online`, or `shadow`: pages
        come in your own order, and `Page.would_show` is the order that the model would have shown.

        >>> shop.put_model("trial", policy="dcm-kl-ucb", k=5, mode="shadow").k
        5
        >>> shop.put_model("trial", close_after="service").close_after_of
        'service'
        """
        asked = {
            "policy": checks.optional_text(policy, "policy"),
            "k": None if k is None else checks.whole(k, "k", 1),
            "close_after": checks.optional_text(close_after, "close_after"),
            "mode": checks.optional_text(mode, "mode"),
        }
        body: dict[str, str | int | None] = {
            field: value for field, value in asked.items() if value is not None
        }
        if close_after == "service":
            body["close_after"] = None
        return answers.served_model(self._caller.put("v1", "models", checks.text(name, "name"), body=body))

    def erase_query(self, query: str, *, model: str | None = None) -> None:
        """Erases a query, its pages and all that was learned about it."""
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
