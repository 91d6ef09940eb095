"""What goes to the service and comes from it, as values that do not change."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import overload


def new_id() -> str:
    """An id that nobody else makes, even after a fork: its bits come from the operating system."""
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item to rank with a prior, which counts for this request in addition to what was learned.

    >>> import dcmrank as dr
    >>> dr.Candidate("b", observed=20, attracted=3)
    Candidate(id='b', observed=20, attracted=3)
    """

    id: str
    observed: float = 0.0
    attracted: float = 0.0


@dataclass(frozen=True, slots=True)
class RankedItem:
    """An item of a page. `score` brought it to its position; `estimate` is its attraction as learned."""

    id: str
    position: int
    score: float
    estimate: float


@dataclass(frozen=True, slots=True)
class Page:
    """A list to show, in order. `impression` is its id, by which another process can report a click.

    Of a model in the mode `shadow`, `would_show` is the list that it would have shown instead of your order.

    >>> import dcmrank as dr
    >>> items = (dr.client.RankedItem("b", 1, 1.0, 0.5), dr.client.RankedItem("a", 2, 0.9, 0.4))
    >>> page = dr.Page("page-1", "default", "shoes", 1, "ubm-ts", items)
    >>> page.ids, len(page), page[0].estimate, "a" in page
    (('b', 'a'), 2, 0.5, True)
    """

    impression: str
    model: str
    query: str
    round: int
    policy: str
    items: tuple[RankedItem, ...]
    would_show: tuple[str, ...] | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(item.id for item in self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[RankedItem]:
        return iter(self.items)

    def __contains__(self, item: object) -> bool:
        return item in self.ids or item in self.items

    @overload
    def __getitem__(self, at: int) -> RankedItem: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[RankedItem, ...]: ...
    def __getitem__(self, at: int | slice) -> RankedItem | tuple[RankedItem, ...]:
        return self.items[at]


class Event:
    """A `Click` or a `Close`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Click(Event):
    """A click, with an id of its own: however often this object is sent, it is counted once.

    >>> import dcmrank as dr
    >>> dr.Click("page-1", "b", id="e-1")
    Click(impression='page-1', item='b', model=None, id='e-1')
    """

    impression: str
    item: str
    model: str | None = None
    id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Close(Event):
    """The end of a page, after which it teaches. `seen`: how many positions were on the screen.

    >>> import dcmrank as dr
    >>> dr.Close("page-1", seen=2, id="e-2")
    Close(impression='page-1', seen=2, model=None, id='e-2')
    """

    impression: str
    seen: int | None = None
    model: str | None = None
    id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class EventResult:
    """The result of an event.

    `accepted`, `duplicate`, `late`, `unknown_impression` or `rejected`, and the reason if it was not accepted.
    `held`: it came before its page, and counts if that comes soon.

    >>> import dcmrank as dr
    >>> dr.client.EventResult("duplicate", "this event was taken before").counted
    True
    """

    status: str
    reason: str | None = None
    held: bool = field(default=False, repr=False)

    @property
    def counted(self) -> bool:
        """Whether it is on the disk and counts once, by this call or an earlier one."""
        return self.status in ("accepted", "duplicate")


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model of the service. `learns_by` is what its policy stands for.

    `close_after_of` says whose `close_after` is: the `model`'s own, or the `service`'s.
    """

    name: str
    policy: str
    learns_by: str
    k: int
    close_after: str
    mode: str
    learned_anew: datetime | None = None
    close_after_of: str | None = None


@dataclass(frozen=True, slots=True)
class QueryRounds:
    """A query and the number of pages that it learned from."""

    query: str
    rounds: int


@dataclass(frozen=True, slots=True)
class LearnedItem:
    """What was learned about an item, with a 95 % interval."""

    id: str
    observed: float
    attracted: float
    estimate: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class LearnedQuery:
    """What was learned about a query; `termination` is by position, if the policy learns it."""

    query: str
    rounds: int
    items: tuple[LearnedItem, ...]
    termination: tuple[float, ...]

    def __getitem__(self, item: str) -> LearnedItem:
        for learned in self.items:
            if learned.id == item:
                return learned
        raise KeyError(item)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a page added to the counts of an item."""

    id: str
    observed: float
    attracted: float


@dataclass(frozen=True, slots=True)
class Impression:
    """A page as the service recorded it. `state` is `open`, `closed` or `timed_out`."""

    impression: str
    model: str
    query: str
    state: str
    made: datetime
    items: tuple[str, ...]
    clicks: tuple[str, ...]
    seen: int | None
    contributed: tuple[Contribution, ...]
