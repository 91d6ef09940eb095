"""Calls of the service: paths and JSON in, records out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from . import answers
from .address import Address
from .attempt import Request
from .errors import ServiceError
from .exchange import Exchange
from .values import EventResult, QueryRounds

_JSON = {"Content-Type": "application/json"}
# Half of what the service takes in a request by default.
_MOST_EVENTS = 5000
_MOST_BYTES = 512 << 10


class Caller:
    def __init__(self, address: Address, exchange: Exchange) -> None:
        self.address = address
        self.exchange = exchange

    def get(self, *parts: str, **parameters: str | None) -> answers.Record:
        return self.record(Request("GET", path(*parts, **parameters), {}))

    def post(self, name: str, body: dict[str, Any]) -> answers.Record:
        return self.record(Request("POST", path("v1", name), _JSON, _encode(body)))

    def put(self, *parts: str, body: dict[str, Any]) -> answers.Record:
        return self.record(Request("PUT", path(*parts), _JSON, _encode(body)))

    def erase(self, *parts: str, **parameters: str | None) -> None:
        self.record(Request("DELETE", path(*parts, **parameters), {})).truth("erased")

    def report(self, events: list[dict[str, Any]]) -> tuple[EventResult, ...]:
        """Many events go in several requests."""
        results: list[EventResult] = []
        for part in _portions([_encode(event) for event in events]):
            body = b"[" + b",".join(part) + b"]"
            told = self.record(Request("POST", "/v1/feedback", _JSON, body)).list("results", answers.event_result)
            if len(told) != len(part):
                raise ServiceError(f"the answer has {len(told)} results for {len(part)} events")
            results += told
        return tuple(results)

    def queries(self, model: str) -> Iterator[QueryRounds]:
        after: str | None = None
        while True:
            answer = self.get("v1", "models", model, "queries", limit="1000", after=after)
            yield from answer.list("queries", answers.query_rounds)
            if not answer.has("next"):
                return
            after = answer.text("next")

    def is_ok(self, name: str) -> bool:
        try:
            return self.record(Request("GET", path(name), {}), attempts=1).text("status") == "ok"
        except ServiceError:
            return False

    def record(self, request: Request, attempts: int | None = None) -> answers.Record:
        answer = self.exchange.send(request, attempts)
        return answers.parse(answer.body, f"the answer of {self.address.url}")


def path(*parts: str, **parameters: str | None) -> str:
    """Percent-encoded throughout: a plus sign stands for itself here."""
    given = {name: value for name, value in parameters.items() if value is not None}
    return "".join("/" + _part(part) for part in parts) + ("?" + urlencode(given, quote_via=quote) if given else "")


def _part(text: str) -> str:
    """A proxy would take dots alone for the way to another path."""
    return text.replace(".", "%2E") if text in (".", "..") else quote(text, safe="")


def _encode(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _portions(lines: list[bytes]) -> Iterator[list[bytes]]:
    portion: list[bytes] = []
    size = 0
    for line in lines:
        if portion and (len(portion) == _MOST_EVENTS or size + len(line) > _MOST_BYTES):
            yield portion
            portion, size = [], 0
        portion.append(line)
        size += len(line) + 1
    if portion:
        yield portion
