"""What every call of a client needs: a caller, and the model that is meant."""

from __future__ import annotations

from . import checks
from .caller import Caller
from .values import Page


class Calls:
    """The base of the parts that a client is made of."""

    _caller: Caller
    _model: str | None

    def _named(self, model: str | None) -> str:
        return checks.optional_text(model, "model") or self._model or "default"

    def _impression(self, page: Page | str, model: str | None) -> tuple[str, str | None]:
        impression, owner = checks.impression(page)
        return impression, checks.optional_text(model, "model") or owner or self._model

    def _query_path(self, query: str, model: str | None) -> tuple[str, ...]:
        return "v1", "models", self._named(model), "queries", checks.text(query, "query")
