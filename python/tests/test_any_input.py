"""Random shapes, types and values at every entry: an error of the documented kinds, or a result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import dcmrank as dr

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(-3, 6), st.floats(), st.text(max_size=5),
    st.binary(max_size=3), st.complex_numbers(), st.builds(object),
)  # fmt: skip
ARRAYS = st.one_of(
    arrays.arrays(
        st.one_of(arrays.scalar_dtypes(), st.just(np.dtype(object))),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
        elements=None,
    ),
    st.lists(st.integers(-2, 5), max_size=5),
    st.lists(st.floats(0, 1), max_size=5),
)
ANYTHING = st.one_of(SCALARS, ARRAYS, st.lists(SCALARS, max_size=4), st.dictionaries(st.text(max_size=3), SCALARS, max_size=2))
QUICK = settings(max_examples=60, deadline=None)
SMALL = dr.Dcm([0.6, 0.5, 0.4, 0.1], [0.5, 0.1])
ERRORS = (ValueError, TypeError, OSError)


def refused_or_done(call: Any) -> Any:
    """What the call gives; None where it is refused, in one line that is no complaint of the bindings."""
    try:
        return call()
    except ERRORS as error:
        assert str(error) and "\n" not in str(error), error
        assert "incompatible" not in str(error)
        return None


@QUICK
@given(ANYTHING, ANYTHING)
def test_any_dcm(attraction: Any, termination: Any) -> None:
    problem = refused_or_done(lambda: dr.Dcm(attraction, termination))
    if problem is not None:
        assert 1 <= problem.k <= problem.items
        assert ((problem.attraction >= 0) & (problem.attraction <= 1)).all()


@QUICK
@given(ANYTHING, ANYTHING, ANYTHING)
def test_any_problem(source: Any, query: Any, reward: Any) -> None:
    refused_or_done(lambda: dr.problem(source))
    refused_or_done(lambda: dr.problem(SMALL, query=query))
    refused_or_done(lambda: dr.problem(SMALL, reward=reward))


@QUICK
@given(ANYTHING, ANYTHING)
@pytest.mark.parametrize("name", ["dcm-kl-ucb", "ranked-exp3", "toprank"])
def test_any_ranking_and_clicks(name: str, ranking: Any, clicks: Any) -> None:
    policy, users = dr.policy(name, 4, 2), dr.Users(SMALL)
    seen = refused_or_done(lambda: users.visit(ranking))
    if seen is not None:
        assert sorted({int(e) for e in np.asarray(ranking)}) == sorted(int(e) for e in np.asarray(ranking))
        assert seen.shape == (2,)
    refused_or_done(lambda: policy.update(ranking, clicks))
    refused_or_done(lambda: policy.update(policy.rank(), clicks))
    refused_or_done(lambda: policy.observe_initial(clicks))
    refused_or_done(lambda: SMALL.expected_reward(ranking))
    policy.update(policy.rank(), [1, 0])  # and it goes on


@QUICK
@given(ANYTHING, ANYTHING, ANYTHING, ANYTHING, ANYTHING)
def test_any_arguments_of_a_policy(name: Any, items: Any, k: Any, seed: Any, steps: Any) -> None:
    refused_or_done(lambda: dr.policy(name, 4, 2))
    refused_or_done(lambda: dr.policy("dcm-ts:" + str(name), 4, 2))
    refused_or_done(lambda: dr.policy("dcm-ts", 4, k))
    refused_or_done(lambda: dr.policy("dcm-ts", 4, 2, seed=seed))
    refused_or_done(lambda: dr.policy("dcm-ts", 4, 2, steps=steps))
    refused_or_done(lambda: dr.policy("dcm-ts", problem=items))
    refused_or_done(lambda: dr.Users(SMALL, seed=seed, run=k))
    refused_or_done(lambda: dr.Users(items))
    refused_or_done(lambda: dr.bounds(SMALL, steps=steps))
    if not isinstance(items, int) or items < 1000:
        refused_or_done(lambda: dr.policy("dcm-ts", items, 2))


@QUICK
@given(ANYTHING, ANYTHING)
def test_any_arguments_of_compare(policies: Any, other: Any) -> None:
    refused_or_done(lambda: dr.compare(SMALL, policies, steps=5, runs=1))
    refused_or_done(lambda: dr.compare(other, ["dcm-ts"], steps=5, runs=1))
    for name in ("seed", "n_jobs", "delay", "depth"):
        refused_or_done(lambda: dr.compare(SMALL, ["dcm-ts"], **{"steps": 5, "runs": 1, name: other}))
    if not isinstance(other, int) or other < 1000:
        refused_or_done(lambda: dr.compare(SMALL, ["dcm-ts"], steps=other, runs=1))
        refused_or_done(lambda: dr.compare(SMALL, ["dcm-ts"], steps=5, runs=other))


@QUICK
@given(ANYTHING)
def test_any_list_of_a_policy_in_python(ranking: Any) -> None:
    class Odd(dr.Policy):
        def rank(self) -> Any:
            return ranking

        def update(self, ranking: Any, clicks: Any) -> None: ...

    try:
        dr.compare(SMALL, [Odd], steps=2, runs=1)
    except ERRORS as error:
        assert str(error).startswith("policy 'Odd', round 1: its list")


@QUICK
@given(st.text(max_size=40), ANYTHING)
def test_any_saved_text(text: str, path: Any) -> None:
    refused_or_done(lambda: dr.Comparison.from_json(text))
    if not isinstance(path, str) or path.isprintable():
        refused_or_done(lambda: dr.Comparison.load(path))
        refused_or_done(lambda: dr.NativePolicy.load(path))


@QUICK
@given(st.integers(0, 10**6), st.sampled_from(["0", "-1", "null", '"x"', "[]", "{}", "1e999", ""]))
def test_any_change_of_a_saved_state(place: int, change: str) -> None:
    policy = dr.policy("ranked-exp3:duplicates=random", 4, 2)
    policy.rank()
    text = policy.to_json()
    numbers = [n for n, c in enumerate(text) if c.isdigit()]
    at = numbers[place % len(numbers)]
    blank = dr.NativePolicy.__new__(dr.NativePolicy)
    try:
        blank.__setstate__(text[:at] + change + text[at + 1 :])
    except ERRORS as error:
        assert "policy state" in str(error)
        return
    blank.update(blank.rank(), [1, 0])
