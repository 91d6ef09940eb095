"""Scores of models, and what went wrong."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dcmrank._warnings import warn_caller


class ConvergenceWarning(UserWarning):
    """EM stopped at ``max_iterations``: the model is not the most likely one.

    >>> import dcmrank as dr, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", dr.ConvergenceWarning)
    ...     dr.PositionBasedModel(max_iterations=1).fit(dr.example_log()).converged_
    False
    """


class ExtrapolationWarning(UserWarning):
    """Pages were longer than those that the model was fitted to: below these it guesses, by its prior.

    >>> import dcmrank as dr, warnings
    >>> log = dr.example_log().to_pandas()
    >>> short = log.assign(items=log["items"].str[:3], clicks=log["clicks"].str[:3])
    >>> model = dr.PositionBasedModel().fit(short)
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     _ = model.predict_clicks(log)
    >>> print(said[0].message)
    1000 of 1000 pages are longer than those that the model was fitted to: below these its examination is a guess, ...
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


def warn_of_guesses(note: str) -> None:
    """Passes on what the library says about pages that are longer than the model knows."""
    if note:
        warn_caller(note, ExtrapolationWarning)
