"""What all click models share: fitting, scores, predictions, files."""

from __future__ import annotations

from typing import Any, ClassVar, SupportsIndex, TypeVar

import numpy as np
import numpy.typing as npt

from dcmrank import _checks, _core
from dcmrank._arguments import path_of, seed_of, threads_of, whole
from dcmrank._checks import MOST
from dcmrank._estimator import Estimator
from dcmrank._problems import Problem, wrapped
from dcmrank._progress import Progress, reported
from dcmrank._logs import Counts, Data, Pages, Path, pages_of, warn_of_skips
from dcmrank._scores import ConvergenceWarning, NotFittedError, Scores, warn_of_guesses
from dcmrank._tables import Table
from dcmrank._warnings import warn_caller

Self = TypeVar("Self", bound="ClickModel")


class ClickModel(Estimator):
    """What all click models share. The classes below are the models.

    Parameters of all of them: ``method`` (``"count"``: one pass; ``"em"``: the exact likelihood),
    ``prior=(A, B)`` (a probability is (successes + A)/(trials + A + B)), ``top`` (only the most
    frequent queries), ``min_impressions`` (only queries with at least that many), ``n_jobs`` (threads;
    the result is the same for any number), ``progress``. Models with EM also have ``tolerance`` (EM
    stops when about that much is left to gain per page) and ``max_iterations``; and ``max_tails``: with
    more distinct tails of pages than that, EM reads the log again in each iteration.

    >>> import dcmrank as dr
    >>> log = dr.example_log()
    >>> models = [dr.ClickThroughRate(), dr.DependentClickModel(method="em", prior=(1, 2))]
    >>> max(models, key=lambda model: model.fit(log).score(log))
    DependentClickModel(method='em', prior=(1, 2))
    """

    _name: ClassVar[str] = ""

    def __init__(
        self,
        *,
        method: str = "count",
        prior: tuple[float, float] = (1, 1),
        top: int | None = None,
        min_impressions: int = 1,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.method = method
        self.prior = prior
        self.top = top
        self.min_impressions = min_impressions
        self.n_jobs = n_jobs
        self.progress = progress

    # ---- fitting

    def _arguments(self) -> _core.FitArguments:
        """The parameters as the library takes them, each checked."""
        arguments = _core.FitArguments()
        arguments.model = self._name
        arguments.method = _checks.chosen("method", self.method, ("count", "em"))
        arguments.prior = _checks.prior(self.prior)
        arguments.top = None if self.top is None else whole("top", self.top, 1, MOST)
        arguments.min_impressions = whole("min_impressions", self.min_impressions, 1, MOST)
        arguments.threads = threads_of(self.n_jobs)
        return arguments

    def fit(self: Self, X: Data, y: object = None) -> Self:
        """Fits the model to a data frame, a log or counts (see ``docs/python.md``).

        >>> import dcmrank as dr
        >>> model = dr.DependentClickModel(method="em").fit(dr.example_log())
        >>> model.converged_
        True
        """
        arguments = self._arguments()
        if isinstance(X, Counts):
            if not X._core.suffices(self._name, self.method):
                raise ValueError(
                    f"X: the counts lack what {type(self).__name__}(method={self.method!r}) needs: count with "
                    f"models=[{self._name!r}] (dcmrank count --for {self._name})"
                )
            fitted = _core.fit_counts(X._core, arguments, None)
        else:
            pages = pages_of(X)
            with reported(self.progress, pages.size(), "read") as bar:
                fitted = _core.fit_pages(pages, arguments, bar)
            warn_of_skips(fitted.skips())
        self._take(fitted)
        self._warn_unless_converged()
        return self

    def _take(self, fitted: _core.FittedModel) -> None:
        self._fitted_model = fitted

    def _warn_unless_converged(self) -> None:
        if self.converged_:
            return
        warn_caller(
            f"EM did not converge in {self.n_iter_} iterations: raise max_iterations or tolerance",
            ConvergenceWarning,
        )

    @property
    def _fitted(self) -> _core.FittedModel:
        fitted = self.__dict__.get("_fitted_model")
        if fitted is None:
            raise NotFittedError(f"this {type(self).__name__} is not fitted: call fit first")
        assert isinstance(fitted, _core.FittedModel)
        return fitted

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted_model" in self.__dict__

    # ---- what was fitted

    @property
    def attraction_(self) -> Table:
        """query, item, attraction, low and high (95 %, if they are known), shown, clicked,
        impressions, and whether the log identifies it."""
        return Table(self._fitted.attraction())

    @property
    def queries_(self) -> Table:
        """query, impressions; the most frequent first."""
        return Table(self._fitted.queries())

    @property
    def positions_(self) -> int:
        """How many positions the longest list has."""
        return self._fitted.positions

    @property
    def converged_(self) -> bool:
        """Whether EM converged; True for models fitted by counting."""
        fitted = self._fitted
        return fitted.converged or not fitted.uses_em

    @property
    def n_iter_(self) -> int:
        """How many iterations EM took; 0 for models fitted by counting."""
        return self._fitted.iterations

    @property
    def log_likelihoods_(self) -> npt.NDArray[np.float64]:
        """Of the log, before EM's first iteration and after each."""
        return np.asarray(self._fitted.trace, dtype=np.float64)

    @property
    def report_(self) -> dict[str, Any]:
        """What was found in reading: lines, impressions, clicks, what was skipped."""
        report: dict[str, Any] = self._fitted.report()
        return report

    # ---- how well it predicts

    def evaluate(self, X: Pages) -> Scores:
        """All scores of the model on a data frame or a log.

        >>> import dcmrank as dr
        >>> model = dr.CascadeModel().fit(dr.example_log())
        >>> scores = model.evaluate(dr.example_log(seed=2))
        >>> 1 < scores.perplexity < 2
        True
        """
        fitted = self._fitted
        pages = pages_of(X)
        with reported(self.progress, pages.size(), "score") as bar:
            scores, skips, deeper = fitted.score(pages, threads_of(self.n_jobs), bar)
        warn_of_skips(skips)
        warn_of_guesses(deeper)
        return Scores(
            int(scores.sessions),
            scores.log_likelihood,
            scores.perplexity,
            scores.conditional_perplexity,
            np.asarray(scores.perplexity_at, dtype=np.float64),
            np.asarray(scores.conditional_perplexity_at, dtype=np.float64),
        )

    def score(self, X: Pages, y: object = None) -> float:
        """The mean log-likelihood: over pages, of the mean over positions. Higher is better."""
        return self.evaluate(X).log_likelihood

    def perplexity(self, X: Pages) -> float:
        """The mean over positions of the perplexity of their clicks: 1 is perfect, 2 is a coin toss."""
        return self.evaluate(X).perplexity

    def conditional_perplexity(self, X: Pages) -> float:
        """The same for each click given those above it."""
        return self.evaluate(X).conditional_perplexity

    # ---- what it predicts

    def predict_clicks(self, X: Pages) -> Table:
        """The probability of a click at each position of each page: a column of lists.

        A data frame needs no clicks for this, and any that it has are ignored.

        >>> import dcmrank as dr
        >>> log = dr.example_log()
        >>> table = dr.CascadeModel().fit(log).predict_clicks(log)
        >>> len(table["probability"][0])
        5
        """
        return self._predict(X, conditional=False)

    def predict_conditional_clicks(self, X: Pages) -> Table:
        """The same, given the clicks above each position."""
        return self._predict(X, conditional=True)

    def _predict(self, X: Pages, conditional: bool) -> Table:
        fitted = self._fitted
        pages = pages_of(X, clicks=conditional)
        with reported(self.progress, pages.size(), "predict") as bar:
            table, skips, deeper = fitted.predict(pages, conditional, threads_of(self.n_jobs), bar)
        warn_of_skips(skips)
        warn_of_guesses(deeper)
        return Table(table)

    def sample(self, n: int, *, seed: int = 1, ranking: str = "random") -> Table:
        """Pages of simulated users, who follow the model: those of ``dcmrank generate``.

        ``ranking`` is ``"random"`` (any items of a query in any order) or ``"optimal"``.

        >>> import dcmrank as dr
        >>> model = dr.DependentClickModel().fit(dr.example_log())
        >>> model.sample(10, seed=2).columns
        ['query', 'items', 'clicks']
        """
        fitted = self._fitted
        pages = whole("n", n, 1, MOST)
        number = seed_of(seed)
        optimal = _checks.chosen("ranking", ranking, ("random", "optimal")) == "optimal"
        with reported(self.progress, pages, "sample") as bar:
            return Table(fitted.sample(pages, number, optimal, bar))

    def problem(
        self, query: str | int | None = None, *, min_shown: SupportsIndex = 0
    ) -> Problem:
        """One query's users as a problem, for :func:`dcmrank.compare`.

        The query may be left out if the model has only one. Items that its log showed fewer than
        ``min_shown`` times, whose attractions are little more than the prior, are left out.
        """
        if query is not None and not isinstance(query, (str, int, np.integer)):
            raise TypeError(f"query must be text or an integer, not {type(query).__name__}")
        least = whole("min_shown", min_shown, 0, MOST)
        core = self._fitted.problem("" if query is None else str(query), "the model", least)
        return wrapped(core)

    # ---- files

    def save(self, path: Path) -> None:
        """Writes the file that ``dcmrank fit`` writes; :func:`load` reads it.

        JSON, or, if the name ends in ``.cmodel``, the compact format for millions of items.
        """
        self._fitted.save(path_of("path", path))
