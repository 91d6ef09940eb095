"""Checks of what callers give. Limits (of items, of bytes) are left to the service, which knows them."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from typing import Any

from .values import Candidate, Click, Close, Page, new_id


def text(value: object, name: str) -> str:
    """A text that is not empty and can be sent; numpy's texts are texts too."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {_kind(value)}")
    if not value:
        raise ValueError(f"{name} is empty")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} is not valid text: {value!r}") from error
    return str(value)


def optional_text(value: object, name: str) -> str | None:
    return None if value is None else text(value, name)


def whole(value: object, name: str, least: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, not {_kind(value)}")
    try:
        number = operator.index(value)
    except TypeError as error:  # an array of several
        raise TypeError(f"{name} must be an int, not {_kind(value)}") from error
    if number < least:
        raise ValueError(f"{name} must be at least {least}, not {number}")
    return number


def truth(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {_kind(value)}")
    return value


def seconds(value: object, name: str) -> float:
    number = _real(value, name)
    if not number > 0:
        raise ValueError(f"{name} must be above 0, not {number:g}")
    return number


def timeouts(timeout: object) -> tuple[float, float]:
    """Of connecting and of answers."""
    if not isinstance(timeout, tuple):
        both = seconds(timeout, "timeout")
        return both, both
    if len(timeout) != 2:
        raise ValueError("timeout must be a number, or a pair (connect, answer)")
    return seconds(timeout[0], "timeout[0]"), seconds(timeout[1], "timeout[1]")


def key_header(key: object) -> dict[str, str]:
    """No message here shows the key."""
    if key is None:
        return {}
    if not isinstance(key, str):
        raise TypeError(f"key must be a str, not {_kind(key)}")
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError("key must be printable ASCII without spaces (a newline at its end, perhaps?)")
    return {"Authorization": f"Bearer {key}"}


def several(values: object, name: str) -> list[Any]:
    """A list, not a text: "abc" is three items to Python, and a mistake to everyone else."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list, not {_kind(values)}")
    return list(values)


def candidates(items: object) -> list[Any]:
    given = several(items, "items")
    if not given:
        raise ValueError("items is empty")
    result = [_candidate(item, f"items[{n}]") for n, item in enumerate(given)]
    first: dict[str, int] = {}
    for n, item in enumerate(result):
        name = item if isinstance(item, str) else item["id"]
        if name in first:
            raise ValueError(f"items[{n}] is the same as items[{first[name]}]: {name!r}")
        first[name] = n
    return result


def event(value: object, name: str, model: str | None) -> dict[str, Any]:
    """An event as it is sent. One without an id gets one here."""
    if isinstance(value, Click):
        fields: dict[str, Any] = {"type": "click", "item": text(value.item, f"{name}.item")}
    elif isinstance(value, Close):
        fields = {"type": "close"}
        if value.seen is not None:
            fields["seen"] = whole(value.seen, f"{name}.seen", 0)
    elif isinstance(value, Mapping):
        return event(_from_mapping(value, name), name, model)
    else:
        raise TypeError(f"{name} must be a Click or a Close, not {_kind(value)}")
    fields["impression"] = text(value.impression, f"{name}.impression")
    fields["id"] = text(value.id, f"{name}.id")
    named = optional_text(value.model, f"{name}.model") or model
    if named is not None:
        fields["model"] = named
    return fields


def impression(page: object) -> tuple[str, str | None]:
    """The id of a page, and its model if that is known."""
    if isinstance(page, Page):
        return page.impression, page.model
    if isinstance(page, str):
        return text(page, "page"), None
    raise TypeError(f"page must be a Page or its impression (str), not {_kind(page)}")


def _candidate(item: object, name: str) -> Any:
    if isinstance(item, str):
        return text(item, name)
    if isinstance(item, Mapping):
        unknown = set(item) - {"id", "observed", "attracted"}
        if unknown or "id" not in item:
            wrong = f"has {sorted(map(str, unknown))[0]!r}" if unknown else "has no 'id'"
            raise ValueError(f"{name} {wrong}; it may have id, observed, attracted")
        item = Candidate(**item)
    if not isinstance(item, Candidate):
        raise TypeError(f"{name} must be a str or a Candidate, not {_kind(item)}")
    observed = _counted(item.observed, f"{name}.observed")
    attracted = _counted(item.attracted, f"{name}.attracted")
    if attracted > observed:
        raise ValueError(f"{name}.attracted is {attracted:g}, above observed, {observed:g}")
    return {"id": text(item.id, f"{name}.id"), "observed": observed, "attracted": attracted}


def _counted(value: object, name: str) -> float:
    number = _real(value, name)
    if number < 0:
        raise ValueError(f"{name} must not be negative: {number:g}")
    return number


def _real(value: object, name: str) -> float:
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {_kind(value)}")
    try:
        number = float(value)
    except (TypeError, ValueError) as error:  # an array of several
        raise TypeError(f"{name} must be a number, not {_kind(value)}") from error
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, not {number}")
    return number


def _from_mapping(value: Mapping[Any, Any], name: str) -> Click | Close:
    kind = value.get("type")
    if kind not in ("click", "close"):
        raise ValueError(f"{name}.type must be 'click' or 'close', not {kind!r}")
    known = {"impression", "model", "id", "type", "item" if kind == "click" else "seen"}
    unknown = sorted(str(field) for field in set(value) - known)
    if unknown:
        raise ValueError(f"{name} has {unknown[0]!r}, which a {kind} does not have")
    page, model = value.get("impression"), value.get("model")
    event_id = new_id() if value.get("id") is None else value["id"]
    if kind == "click":
        return Click(page, value.get("item"), model, event_id)  # type: ignore[arg-type]  # checked later
    return Close(page, value.get("seen"), model, event_id)  # type: ignore[arg-type]


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__
