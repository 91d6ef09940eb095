"""What policies are compared on: items, positions, and the users who click."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, SupportsIndex, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcmrank import _core
from dcmrank._arguments import numbers, path_of, text_of, whole
from dcmrank._checks import MOST

MOST_BOUND_STEPS = 10**18


class Problem(_core.Problem):
    """Items, positions and users. It does not change; copies are the same problem.

    Made by :func:`dcmrank.problem` and :class:`dcmrank.Dcm`.

    >>> import dcmrank as dr
    >>> users = dr.problem({"model": "pbm", "attraction": [.6, .5, .1], "examination": [1, .4]})
    >>> users
    Problem(model='pbm', items=3, k=2)
    >>> float(users.expected_reward([0, 1]))
    0.8
    """

    @property
    def parameters(self) -> dict[str, NDArray[np.float64]]:
        """Its numbers by name: the attraction of the items, and the other parameters of its users.

        A triangle (the examination of UBM) comes row after row.

        >>> import dcmrank as dr
        >>> dr.problem({"model": "pbm", "attraction": [.6, .5, .1], "examination": [1, .4]}).parameters
        {'attraction': array([0.6, 0.5, 0.1]), 'examination': array([1. , 0.4])}
        """
        fields = json.loads(self.to_json()).items()
        return {name: np.array(values, dtype=np.float64) for name, values in fields if isinstance(values, list)}

    def __copy__(self) -> Problem:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Problem:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _core.Problem) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        model = "" if isinstance(self, Dcm) else f"model={self.model!r}, "
        return f"{type(self).__name__}({model}items={self.items}, k={self.k})"


class Dcm(Problem):
    """A dependent click model: a user who examines item e clicks it with probability attraction[e],
    and leaves, satisfied, after a click at position k with probability termination[k].

    >>> import dcmrank as dr
    >>> problem = dr.Dcm(attraction=[.6, .5, .4, .1], termination=[.5, .1])
    >>> problem.items, problem.k
    (4, 2)
    >>> problem.best_list()
    array([0, 1])
    """

    def __init__(self, attraction: ArrayLike, termination: ArrayLike) -> None:
        super().__init__(
            numbers("attraction", attraction).tolist(), numbers("termination", termination).tolist()
        )

    @property
    def attraction(self) -> NDArray[np.float64]:
        """The attraction of each item."""
        return self.dcm_attraction()

    @property
    def termination(self) -> NDArray[np.float64]:
        """The termination of each position, from the top."""
        return self.dcm_termination()


ProblemLike = Union[_core.Problem, str, "os.PathLike[str]", Mapping[str, Any]]


def wrapped(core: _core.Problem) -> Problem:
    """A problem of the library as Python shows it."""
    if isinstance(core, Problem):
        return core
    kind = Dcm if core.is_dcm else Problem
    problem = kind.__new__(kind)
    _core.Problem.__init__(problem, core)
    return problem


def from_mapping(fields: Mapping[str, Any]) -> Problem:
    try:
        text = json.dumps(dict(fields), allow_nan=False, default=lambda value: value.tolist())
    except ValueError:
        raise ValueError("problem has a number that is NaN or infinite") from None
    except (AttributeError, TypeError):
        raise TypeError("problem holds something that is not a number, text or list") from None
    return wrapped(_core.problem_from_json(text, "problem"))


def problem(
    source: ProblemLike,
    *,
    query: str | int | None = None,
    reward: str | None = None,
    min_shown: SupportsIndex = 0,
) -> Problem:
    """A problem by the command's spelling, from a file, or from what such a file holds.

    A file is a problem, or a model written by ``fit``, of which ``query`` names the query; items of
    that query that its log showed fewer than ``min_shown`` times are left out. ``reward``
    (``"clicks"`` or ``"satisfaction"``) is what counts as reward.

    >>> import dcmrank as dr
    >>> dr.problem("lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5")
    Dcm(items=16, k=4)
    >>> dr.problem({"model": "cascade", "attraction": [.5, .2, .1], "positions": 2}).model
    'cascade'
    """
    counted_by = "" if reward is None else text_of("reward", reward)
    if query is not None:
        query = text_of("query", str(query) if isinstance(query, int) else query)
    least = whole("min_shown", min_shown, 0, MOST)
    if isinstance(source, (Mapping, _core.Problem)):
        if query is not None:
            raise ValueError("query: the problem is not a model")
        if least > 0:
            raise ValueError("min_shown: the problem is not a model")
        known = wrapped(source) if isinstance(source, _core.Problem) else from_mapping(source)
        return wrapped(_core.with_reward(known, counted_by))
    text = path_of("problem", source)
    return wrapped(_core.read_problem(text, query or "", counted_by, least))


@dataclass(frozen=True)
class Bounds:
    """The paper's regret bounds of a problem (Sec. 4); None if their assumptions do not hold."""

    steps: int
    alpha: float
    epsilon: float
    theorem1: float | None
    theorem2: float
    lower_per_log_n: float | None
    proposition1: tuple[float, ...]


def bounds(problem_or_spelling: ProblemLike, *, steps: SupportsIndex = 100_000) -> Bounds:
    """The paper's regret bounds after ``steps`` steps. Only a DCM has them.

    Theorems 1 and 2 are about dcmKL-UCB as published, and their proof has a gap: its regret can exceed
    them.

    >>> import dcmrank as dr
    >>> hard = dr.problem("lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5")
    >>> round(dr.bounds(hard, steps=10_000).theorem2)
    2090
    """
    count = whole("steps", steps, 1, MOST_BOUND_STEPS)
    core = _core.bounds(problem(problem_or_spelling), count)
    return Bounds(
        steps=count,
        alpha=core.alpha,
        epsilon=core.epsilon,
        theorem1=core.theorem1,
        theorem2=core.theorem2,
        lower_per_log_n=core.lower_per_log_n,
        proposition1=tuple(core.proposition1),
    )
