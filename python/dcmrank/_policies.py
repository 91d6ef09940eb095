"""Who ranks: policies of the library, and the base for your own."""

from __future__ import annotations

import os
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcmrank import _core
from dcmrank._arguments import MOST_ITEMS, MOST_STEPS, path_of, seed_of, text_of, whole
from dcmrank._problems import Problem
from dcmrank._tables import Table


class Policy:
    """The base of a policy of your own: ``rank`` and ``update`` are enough.

    ``compare`` makes one for every run, with a generator of its own: what a policy draws from ``rng``
    depends on the seed and the run alone.

    >>> import dcmrank as dr
    >>> class MostClicked(dr.Policy):
    ...     def __init__(self, items, k, rng):
    ...         super().__init__(items, k, rng)
    ...         self.clicks = rng.random(items) * 1e-6          # ties are broken at random
    ...     def rank(self):
    ...         return self.clicks.argsort()[::-1][:self.k]
    ...     def update(self, ranking, clicks):
    ...         self.clicks[ranking] += clicks
    >>> problem = dr.Dcm(attraction=[.6, .5, .4, .1], termination=[.5, .1])
    >>> result = dr.compare(problem, ["dcm-kl-ucb", MostClicked], steps=100, runs=2, seed=1)
    >>> list(result)
    ['dcm-kl-ucb', 'MostClicked']
    """

    def __init__(self, items: int, k: int, rng: np.random.Generator) -> None:
        self.items = items
        self.k = k
        self.rng = rng

    def rank(self) -> ArrayLike:
        """The list for the next user: k different items, numbered from 0."""
        raise NotImplementedError(f"{type(self).__name__} has no rank()")

    def update(self, ranking: NDArray[np.int64], clicks: NDArray[np.bool_]) -> None:
        """What the user did: the list that was shown, and which of its items were clicked."""
        raise NotImplementedError(f"{type(self).__name__} has no update()")


class NativePolicy(_core.NativePolicy, Policy):  # type: ignore[override]
    """A policy of the library. Made by :func:`dcmrank.policy`.

    It pickles and copies with all that it has learned and with its random generator.

    >>> import copy, dcmrank as dr
    >>> policy = dr.policy("dcm-ts", items=4, k=2, seed=1)
    >>> policy.update([2, 0], [1, 0])
    >>> twin = copy.deepcopy(policy)
    >>> bool((policy.rank() == twin.rank()).all())
    True
    """

    def __copy__(self) -> NativePolicy:
        twin = NativePolicy.__new__(NativePolicy)
        _core.NativePolicy.__init__(twin, self)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> NativePolicy:
        return self.__copy__()

    def __repr__(self) -> str:
        return f"dcmrank.policy({self.spelling!r}, items={self.items}, k={self.k})"

    @property
    def beliefs(self) -> Table:
        """What it has counted for each item: item, observed and attracted (in expectation, if clicks leave it
        open), and estimate, the mean attraction that these make likely; also by position, for policies that
        count that way. ``ubm-ts`` counts how often an item was shown and clicked anywhere, which is not an estimate.

        >>> import dcmrank as dr
        >>> policy = dr.policy("dcm-ts", items=3, k=2, seed=1)
        >>> policy.update([2, 0], [0, 1])
        >>> policy.beliefs
        item  observed  attracted  estimate
        0     1         1          0.666667
        1     0         0          0.5
        2     1         0          0.333333
        """
        return Table(self.belief_table())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all that it has learned, and its generator, as JSON. The file appears whole or not
        at all."""
        _core.write_file(path_of("path", path), self.to_json())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> NativePolicy:
        """The policy that :meth:`save` wrote.

        >>> import dcmrank as dr, tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "policy.json"
        >>> dr.policy("dcm-ts", items=4, k=2).save(file)
        >>> dr.NativePolicy.load(file)
        dcmrank.policy('dcm-ts', items=4, k=2)
        """
        name = path_of("path", path)
        policy = NativePolicy.__new__(NativePolicy)
        _core.NativePolicy.__init__(policy, _core.load_policy(_core.read_file(name), name))
        return policy


def policy(
    spelling: str,
    items: SupportsIndex | None = None,
    k: SupportsIndex | None = None,
    *,
    seed: SupportsIndex = 1,
    steps: SupportsIndex = 100_000,
    problem: Problem | None = None,
) -> NativePolicy:
    """A policy of the library, by the command's spelling (``dcmrank.policies()`` lists them).

    ``steps`` is the horizon, for the policies that must know it. With ``problem`` instead of ``items``
    and ``k``, options may take from it what papers assume known (``order=problem``).

    >>> import dcmrank as dr
    >>> problem = dr.Dcm(attraction=[.6, .5, .4, .1], termination=[.5, .1])
    >>> policy = dr.policy("dcm-ts", items=4, k=2, seed=1)
    >>> users = dr.Users(problem, seed=1)
    >>> for _ in range(1000):
    ...     ranking = policy.rank()
    ...     clicks = users.visit(ranking)
    ...     policy.update(ranking, clicks)
    >>> users.regret < 20
    True
    """
    if problem is not None:
        if not isinstance(problem, Problem):
            raise TypeError(f"problem must be a dcmrank.Problem, not {type(problem).__name__}")
        items = problem.items if items is None else items
        k = problem.k if k is None else k
    if items is None or k is None:
        raise TypeError(f"{'items' if items is None else 'k'} is missing")
    size = whole("items", items, 2, MOST_ITEMS)
    length = whole("k", k, 1, size)
    if problem is not None and (size, length) != (problem.items, problem.k):
        raise ValueError(
            f"items and k are {size} and {length}, those of problem {problem.items} and {problem.k}"
        )
    return NativePolicy(
        text_of("policy", spelling), size, length, seed_of(seed), whole("steps", steps, 1, MOST_STEPS), problem
    )


def policies() -> dict[str, str]:
    """The policies of the library: name and one line each.

    >>> import dcmrank as dr
    >>> "dcm-kl-ucb" in dr.policies()
    True
    """
    return dict(_core.policies())


def policy_options(spelling: str) -> dict[str, str]:
    """The options of a policy of the library, as ``dcmrank policies`` explains them.

    Those that a policy was made with are in ``policy.options``, and in its ``spelling``.

    >>> import dcmrank as dr
    >>> list(dr.policy_options("ranked-exp3"))
    ['duplicates']
    >>> dr.policy("ranked-exp3:duplicates=random", items=4, k=2).options
    {'duplicates': 'random'}
    """
    return dict(_core.policy_options(text_of("policy", spelling)))


def is_policy(candidate: object) -> bool:
    return all(callable(getattr(candidate, name, None)) for name in ("rank", "update"))
