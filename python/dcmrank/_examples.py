"""A log to try things on."""

from __future__ import annotations

import json

from dcmrank import _core
from dcmrank._arguments import seed_of, whole
from dcmrank._checks import MOST
from dcmrank._tables import Table


def _model() -> _core.FittedModel:
    def item(name: str, attraction: float) -> dict[str, object]:
        return {"item": name, "attraction": attraction}

    red = [item(f"red {n}", 0.6 - 0.07 * n) for n in range(8)]
    blue = [item(f"blue {n}", 0.3 - 0.03 * n) for n in range(8)]
    termination = [0.7, 0.6, 0.5, 0.4, 0.3]
    model = {
        "model": "dcm",
        "method": "example",
        "positions": 5,
        "termination": termination,
        "queries": [
            {"query": "red shoes", "impressions": 3, "items": red},
            {"query": "blue shoes", "impressions": 1, "items": blue},
        ],
    }
    return _core.parse_model(json.dumps(model), "example")


def example_log(pages: int = 1000, *, seed: int = 1) -> Table:
    """Pages of simulated users, who follow a dependent click model: two queries, lists of five.

    >>> import dcmrank as dr
    >>> log = dr.example_log(pages=100)
    >>> len(log), log.columns
    (100, ['query', 'items', 'clicks'])
    """
    count = whole("pages", pages, 1, MOST)
    return Table(_model().sample(count, seed_of(seed), False, None))
