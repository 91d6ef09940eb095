"""Simulated users, one after the other."""

from __future__ import annotations

import copy
from typing import Any, Protocol, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from dcmrank import _core
from dcmrank._arguments import MOST_RUNS, MOST_STEPS, seed_of, whole
from dcmrank._policies import NativePolicy, is_policy
from dcmrank._problems import ProblemLike, problem as as_problem
from dcmrank._progress import Progress, reported


class Ranks(Protocol):
    """What a policy is: whatever has these two."""

    def rank(self) -> ArrayLike: ...

    def update(self, ranking: Any, clicks: Any, /) -> None: ...


class Users(_core.Users):
    """The users of one run of a problem. What the t-th user does is a function of the seed, the run
    and the list: every policy meets the same ones.

    ``regret`` is what was lost so far against the best list, in expectation; ``reward`` is the sampled reward
    so far (no policy may be told); ``rounds`` is how many users there were.

    >>> import dcmrank as dr
    >>> users = dr.Users(dr.Dcm(attraction=[.9, .5, .1], termination=[.8, .2]), seed=1)
    >>> users.visit([0, 1])
    array([ True, False])
    >>> users.rounds, users.regret
    (1, 0.0)
    """

    def __init__(
        self, problem: ProblemLike, *, seed: SupportsIndex = 1, run: SupportsIndex = 0
    ) -> None:
        super().__init__(as_problem(problem), seed_of(seed), whole("run", run, 0, MOST_RUNS))

    def __copy__(self) -> Users:
        twin = Users.__new__(Users)
        _core.Users.__init__(twin, self)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Users:
        return copy.copy(self)

    def __repr__(self) -> str:
        return f"Users(seed={self.seed}, run={self.run}, rounds={self.rounds}, regret={self.regret:.2f})"

    def play(self, policy: Ranks, rounds: SupportsIndex, *, progress: Progress = False) -> None:
        """Shows ``rounds`` lists of a policy to the next users, who teach it.

        For a policy of the library the whole loop runs in the library; it begins with the free sample of
        every item (Algorithm 1) if the policy wants one and has seen nothing yet.

        >>> import dcmrank as dr
        >>> problem = dr.Dcm(attraction=[.6, .5, .4, .1], termination=[.5, .1])
        >>> users, policy = dr.Users(problem, seed=1), dr.policy("dcm-kl-ucb", items=4, k=2, seed=1)
        >>> users.play(policy, 10_000)
        >>> same = dr.compare(problem, ["dcm-kl-ucb"], steps=10_000, runs=1, seed=1)
        >>> users.regret == same["dcm-kl-ucb"].mean
        True
        """
        count = whole("rounds", rounds, 1, MOST_STEPS)
        with reported(progress, count, "play") as report:
            if isinstance(policy, NativePolicy):
                self.play_native(policy, count, report)
                return
            if isinstance(policy, type) or not is_policy(policy):
                raise TypeError(f"policy must have methods rank and update, but {policy!r} does not")
            for done in range(count):
                self._show(policy)
                if report is not None and done % 256 == 0:
                    report(done)

    def _show(self, policy: Ranks) -> None:
        ranking = policy.rank()
        try:
            clicks = self.visit(ranking)
        except (TypeError, ValueError) as fault:
            name = type(policy).__name__
            raise type(fault)(f"policy {name!r}, round {self.rounds + 1}: its {fault}") from None
        policy.update(np.asarray(ranking, dtype=np.int64), clicks)
