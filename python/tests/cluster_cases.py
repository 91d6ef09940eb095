"""What is compared on clusters: policies of the library, and one in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

import dcmrank as dr

COMPARED = ["dcm-ts", "recommended"]


class Slow(dr.Policy):
    """The most clicked items, in Python."""

    def __init__(self, items: int, k: int, rng: np.random.Generator) -> None:
        super().__init__(items, k, rng)
        self.clicks = rng.random(items)

    def rank(self) -> Any:
        return self.clicks.argsort()[::-1][: self.k]

    def update(self, ranking: Any, clicks: Any) -> None:
        self.clicks[ranking] += clicks


def compare(**how: Any) -> dr.Comparison:
    return dr.compare("lb:L=8,K=2,p=0.2,gap=0.15,gamma=0.5", [*COMPARED, Slow], steps=300, runs=5, seed=3, **how)
