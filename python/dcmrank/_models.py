"""The click models: one class each, with the options of ``dcmrank fit``."""

from __future__ import annotations

from typing import Any, ClassVar

from dcmrank import _checks, _core
from dcmrank._arguments import path_of
from dcmrank._chain_models import ClickChainModel, DynamicBayesianModel, SimplifiedDBN
from dcmrank._click_model import ClickModel
from dcmrank._em_model import EmClickModel, TailClickModel
from dcmrank._logs import Counts, Path
from dcmrank._progress import Progress
from dcmrank._tables import Table


class DependentClickModel(TailClickModel):
    """The dependent click model (DCM; Guo, Liu, Wang 2009): users may click several items.

    A user scans from the top, clicks what attracts, and leaves after a click with the termination
    of its position. ``termination="shared"`` gives all queries the same ones.

    >>> import dcmrank as dr
    >>> model = dr.DependentClickModel().fit(dr.example_log())
    >>> model.termination_.columns[-2:]
    ['termination', 'identified']
    """

    _name: ClassVar[str] = "dcm"

    def __init__(
        self,
        *,
        method: str = "count",
        termination: str = "per-query",
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
        self.termination = termination

    def _arguments(self) -> _core.FitArguments:
        arguments = super()._arguments()
        choices = ("per-query", "shared")
        arguments.shared = _checks.chosen("termination", self.termination, choices) == "shared"
        return arguments

    @property
    def termination_(self) -> Table:
        """query (unless all share it), position, termination, identified."""
        return Table(self._fitted.list_parameter("termination"))


class CascadeModel(ClickModel):
    """The cascade model (Craswell and others 2008): users leave at their first click.

    Attraction per item, counted down to the first click.

    >>> import dcmrank as dr
    >>> model = dr.CascadeModel().fit(dr.example_log())
    >>> model.attraction_.columns[:3]
    ['query', 'item', 'attraction']
    """

    _name: ClassVar[str] = "cascade"


class ClickThroughRate(ClickModel):
    """The click-through rate of each item of a query, wherever it is shown.

    The baseline that others should beat.

    >>> import dcmrank as dr
    >>> model = dr.ClickThroughRate(prior=(0, 0)).fit(dr.example_log())
    >>> rates = model.attraction_
    >>> bool((rates["attraction"] == rates["clicked"] / rates["impressions"]).all())
    True
    """

    _name: ClassVar[str] = "dctr"


class PositionBasedModel(EmClickModel):
    """The position-based model (PBM): a position is examined, or not, whatever is around it.

    Attraction per item, examination per position.

    >>> import dcmrank as dr
    >>> model = dr.PositionBasedModel().fit(dr.example_log())
    >>> model.examination_.columns[-2:]
    ['examination', 'identified']
    """

    _name: ClassVar[str] = "pbm"

    @property
    def examination_(self) -> Table:
        """position, examination, identified: of all queries."""
        return Table(self._fitted.list_parameter("examination"))


class UserBrowsingModel(EmClickModel):
    """The user browsing model (UBM; Dupret, Piwowarski 2008).

    Examination depends on the position and on how far above the last click is.

    >>> import dcmrank as dr
    >>> model = dr.UserBrowsingModel().fit(dr.example_log())
    >>> model.examination_.columns
    ['position', 'distance', 'examination', 'identified']
    """

    _name: ClassVar[str] = "ubm"

    @property
    def examination_(self) -> Table:
        """position, distance (to the last click above; 0: none), examination, identified."""
        return Table(self._fitted.list_parameter("examination"))


_CLASSES: dict[str, Any] = {
    model._name: model
    for model in (
        DependentClickModel,
        CascadeModel,
        ClickThroughRate,
        PositionBasedModel,
        UserBrowsingModel,
        DynamicBayesianModel,
        SimplifiedDBN,
        ClickChainModel,
    )
}


def _model_of(fitted: _core.FittedModel) -> ClickModel:
    """A model as it would be after fitting, with those of its parameters that files hold."""
    kind = _CLASSES[fitted.model]
    method = {"method": fitted.method} if fitted.method in ("count", "em") else {}
    tolerance = {"tolerance": fitted.tolerance} if fitted.uses_em else {}
    prior = tuple(int(x) if x.is_integer() else x for x in fitted.prior)
    model: ClickModel = kind(prior=prior, **method, **tolerance)
    model._take(fitted)
    return model


def load(path: Path) -> Any:
    """Loads a file that dcmrank wrote: a model, or counts.

    >>> import dcmrank as dr, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> dr.CascadeModel().fit(dr.example_log()).save(path)
    >>> dr.load(path)
    CascadeModel()
    """
    loaded = _core.load(path_of("path", path))
    return Counts(loaded) if isinstance(loaded, _core.CountedLog) else _model_of(loaded)
