"""What click models fitted by EM share."""

from __future__ import annotations

from dcmrank import _checks, _core
from dcmrank._arguments import whole
from dcmrank._checks import MOST
from dcmrank._click_model import ClickModel
from dcmrank._progress import Progress


class EmClickModel(ClickModel):
    """Models with EM."""

    def __init__(
        self,
        *,
        method: str = "em",
        prior: tuple[float, float] = (1, 1),
        top: int | None = None,
        min_impressions: int = 1,
        tolerance: float = 1e-9,
        max_iterations: int = 2000,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        super().__init__(
            method=method,
            prior=prior,
            top=top,
            min_impressions=min_impressions,
            n_jobs=n_jobs,
            progress=progress,
        )
        self.tolerance = tolerance
        self.max_iterations = max_iterations

    def _arguments(self) -> _core.FitArguments:
        arguments = super()._arguments()
        arguments.tolerance = _checks.real("tolerance", self.tolerance, 1)
        arguments.max_iterations = whole("max_iterations", self.max_iterations, 1, MOST)
        return arguments


class TailClickModel(EmClickModel):
    """Models whose EM needs the items below the last click."""

    def __init__(
        self,
        *,
        method: str = "em",
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
            n_jobs=n_jobs,
            progress=progress,
        )
        self.max_tails = max_tails

    def _arguments(self) -> _core.FitArguments:
        arguments = super()._arguments()
        arguments.max_tails = whole("max_tails", self.max_tails, 1, MOST)
        return arguments
