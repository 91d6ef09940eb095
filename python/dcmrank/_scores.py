"""What models say of themselves: scores, and what went wrong."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class ConvergenceWarning(UserWarning):
    """EM stopped at ``max_iterations``: the model is not the most likely one.

    >>> import dcmrank as dr, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", dr.ConvergenceWarning)
    ...     dr.PositionBasedModel(max_iterations=1).fit(dr.example_log()).converged_
    False
    """


class NotFittedError(ValueError, AttributeError):
    """The model has not been fitted.

    >>> import dcmrank as dr
    >>> dr.CascadeModel().sample(1)
    Traceback (most recent call last):
    dcmrank._scores.NotFittedError: this CascadeModel is not fitted: call fit first
    """


class Scores(NamedTuple):
    """How well a model predicts pages; ``docs/fitting.md`` defines each.

    >>> import dcmrank as dr
    >>> model = dr.UserBrowsingModel().fit(dr.example_log())
    >>> model.evaluate(dr.example_log(seed=2)).perplexity_at.shape
    (5,)
    """

    sessions: int
    log_likelihood: float
    perplexity: float
    conditional_perplexity: float
    perplexity_at: npt.NDArray[np.float64]
    conditional_perplexity_at: npt.NDArray[np.float64]
