"""Click models whose users go down the page from item to item, and may give up on the way."""

from __future__ import annotations

from typing import ClassVar

from dcmrank._em_model import TailClickModel
from dcmrank._progress import Progress
from dcmrank._tables import Table


class DynamicBayesianModel(TailClickModel):
    """The dynamic Bayesian network (DBN; Chapelle, Zhang 2009).

    Attraction and satisfaction per item; users who are not satisfied continue with one probability.

    >>> import dcmrank as dr
    >>> model = dr.DynamicBayesianModel().fit(dr.example_log())
    >>> model.satisfaction_.columns[-2:]
    ['satisfaction', 'identified']
    """

    _name: ClassVar[str] = "dbn"

    @property
    def satisfaction_(self) -> Table:
        """query, item, satisfaction, identified: how likely its click satisfies."""
        return Table(self._fitted.item_parameter("satisfaction"))

    @property
    def continuation_(self) -> Table:
        """entry, continuation, identified: how likely users continue."""
        return Table(self._fitted.list_parameter("continuation"))


class SimplifiedDBN(TailClickModel):
    """The simplified DBN: users who are not satisfied always continue.

    Attraction and satisfaction per item.

    >>> import dcmrank as dr
    >>> model = dr.SimplifiedDBN().fit(dr.example_log())
    >>> model.satisfaction_.columns[-2:]
    ['satisfaction', 'identified']
    """

    _name: ClassVar[str] = "sdbn"

    def __init__(
        self,
        *,
        method: str = "count",
        prior: tuple[float, float] = (1, 1),
        top: int | None = None,
        min_impressions: int = 1,
        tolerance: float = 1e-9,
        max_iterations: int = 2000,
        max_tails: int = 2_000_000,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        super().__init__(
            method=method,
            prior=prior,
            top=top,
            min_impressions=min_impressions,
            tolerance=tolerance,
            max_iterations=max_iterations,
            max_tails=max_tails,
            n_jobs=n_jobs,
            progress=progress,
        )

    @property
    def satisfaction_(self) -> Table:
        """query, item, satisfaction, identified: how likely its click satisfies."""
        return Table(self._fitted.item_parameter("satisfaction"))


class ClickChainModel(TailClickModel):
    """The click chain model (CCM; Guo and others 2009).

    Attraction per item; three probabilities of continuing: without a click, after one on an item
    that does not satisfy, and after one that does.

    >>> import dcmrank as dr
    >>> model = dr.ClickChainModel().fit(dr.example_log())
    >>> model.alpha_.columns[-2:]
    ['alpha', 'identified']
    """

    _name: ClassVar[str] = "ccm"

    @property
    def alpha_(self) -> Table:
        """entry, alpha, identified: continuing without a click, after one that does not satisfy, and one that does."""
        return Table(self._fitted.list_parameter("alpha"))
