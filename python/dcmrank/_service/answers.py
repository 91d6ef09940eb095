"""Reads the service's answers. Unknown fields are ignored, so that a newer service is understood."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, TypeVar

from .errors import ServiceError
from .values import (
    Contribution,
    EventResult,
    Impression,
    LearnedItem,
    LearnedQuery,
    Page,
    QueryRounds,
    RankedItem,
    ServedModel,
)

T = TypeVar("T")


class Record:
    """A JSON object of which fields are asked for by name and type."""

    def __init__(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise _unreadable(f"the answer has {_short(value)} where an object belongs")
        self._fields = value

    def text(self, name: str) -> str:
        return str(self._typed(name, str, "a text"))

    def number(self, name: str) -> float:
        return float(self._typed(name, (int, float), "a number"))

    def count(self, name: str) -> int:
        return int(self._typed(name, int, "a whole number"))

    def truth(self, name: str) -> bool:
        value = self._fields.get(name)
        if not isinstance(value, bool):
            raise _unreadable(f"the answer's {name} is {_short(value)}, not true or false")
        return value

    def list(self, name: str, read: Callable[[Any], T]) -> tuple[T, ...]:
        values: list[Any] = self._typed(name, list, "a list")
        return tuple(read(value) for value in values)

    def has(self, name: str) -> bool:
        return self._fields.get(name) is not None

    def _typed(self, name: str, kind: Any, words: str) -> Any:
        value = self._fields.get(name)
        if isinstance(value, bool) or not isinstance(value, kind):
            raise _unreadable(f"the answer's {name} is {_short(value)}, not {words}")
        return value


def parse(body: bytes, what: str) -> Record:
    """The body as JSON. `what` says whose answer it is."""
    try:
        return Record(json.loads(body))
    except (ValueError, RecursionError) as error:
        raise _unreadable(f"{what} is not JSON but {_short(body)}") from error


def page(answer: Record, query: str) -> Page:
    return Page(
        impression=answer.text("impression"),
        model=answer.text("model"),
        query=query,
        round=answer.count("round"),
        policy=answer.text("policy"),
        items=answer.list("items", _ranked_item),
        would_show=answer.list("would_show", _text) if answer.has("would_show") else None,
    )


def event_result(value: Any) -> EventResult:
    record = Record(value)
    return EventResult(
        status=record.text("status"),
        reason=record.text("reason") if record.has("reason") else None,
        held=record.truth("held") if record.has("held") else False,
    )


def served_model(value: Any) -> ServedModel:
    record = value if isinstance(value, Record) else Record(value)
    return ServedModel(
        name=record.text("model"),
        policy=record.text("policy"),
        learns_by=record.text("learns_by"),
        k=record.count("k"),
        close_after=record.text("close_after"),
        mode=record.text("mode"),
        learned_anew=_moment(record, "learned_anew") if record.has("learned_anew") else None,
        close_after_of=record.text("close_after_of") if record.has("close_after_of") else None,
    )


def query_rounds(value: Any) -> QueryRounds:
    record = Record(value)
    return QueryRounds(record.text("query"), record.count("rounds"))


def learned_query(answer: Record) -> LearnedQuery:
    return LearnedQuery(
        query=answer.text("query"),
        rounds=answer.count("rounds"),
        items=answer.list("items", _learned_item),
        termination=answer.list("termination", _number),
    )


def impression(answer: Record) -> Impression:
    return Impression(
        impression=answer.text("impression"),
        model=answer.text("model"),
        query=answer.text("query"),
        state=answer.text("state"),
        made=_moment(answer, "made"),
        items=answer.list("items", _text),
        clicks=answer.list("clicks", _text),
        seen=answer.count("seen") if answer.has("seen") else None,
        contributed=answer.list("contributed", _contribution),
    )


def _ranked_item(value: Any) -> RankedItem:
    record = Record(value)
    return RankedItem(
        record.text("id"), record.count("position"), record.number("score"), record.number("estimate")
    )


def _learned_item(value: Any) -> LearnedItem:
    record = Record(value)
    ends = record.list("interval", _number)
    if len(ends) != 2:
        raise _unreadable(f"the answer's interval is {_short(ends)}, not two numbers")
    return LearnedItem(
        id=record.text("id"),
        observed=record.number("observed"),
        attracted=record.number("attracted"),
        estimate=record.number("estimate"),
        interval=(ends[0], ends[1]),
    )


def _contribution(value: Any) -> Contribution:
    record = Record(value)
    return Contribution(record.text("id"), record.number("observed"), record.number("attracted"))


def _moment(record: Record, name: str) -> datetime:
    try:
        return datetime.fromtimestamp(record.count(name) / 1000, timezone.utc)
    except (ValueError, OverflowError, OSError) as error:
        raise _unreadable(f"the answer's {name} is not a time") from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _unreadable(f"the answer has {_short(value)} where a text belongs")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _unreadable(f"the answer has {_short(value)} where a number belongs")
    return float(value)


def _unreadable(message: str) -> ServiceError:
    return ServiceError(message, status=200)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
