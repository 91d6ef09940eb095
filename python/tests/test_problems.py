from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dcmrank as dr
from cases import PROBLEMS


def test_a_dcm_has_its_numbers_and_its_best_list() -> None:
    problem = dr.Dcm(attraction=[0.1, 0.6, 0.5], termination=np.array([0.1, 0.5]))
    assert (problem.items, problem.k, problem.model) == (3, 2, "dcm")
    assert problem.attraction.tolist() == [0.1, 0.6, 0.5]
    assert problem.termination.tolist() == [0.1, 0.5]
    assert problem.best_list().tolist() == [2, 1]  # the best item where users leave most
    assert problem.best_expected_reward() == pytest.approx(1 - (1 - 0.05) * (1 - 0.3))
    assert problem.expected_reward([2, 1]) == problem.best_expected_reward()


@pytest.mark.parametrize("kind", PROBLEMS)
def test_every_kind_of_user_is_read_from_a_mapping_and_from_a_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(PROBLEMS[kind]))
    problem = dr.problem(PROBLEMS[kind])
    assert problem == dr.problem(path) == dr.problem(str(path))
    assert hash(problem) == hash(dr.problem(path))
    assert (problem.items, problem.k, problem.model) == (4, 2, kind)
    assert isinstance(problem, dr.Dcm) == (kind == "dcm")


def test_spellings_and_rewards_are_the_command_s() -> None:
    assert dr.problem("lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5").items == 16
    clicks = dr.problem(PROBLEMS["dcm"], reward="clicks")
    assert clicks.best_expected_reward() > dr.problem(PROBLEMS["dcm"]).best_expected_reward()


@pytest.mark.parametrize(
    ("attraction", "termination", "message"),
    [
        ([0.5, float("nan")], [0.5], r"attraction\[1\] is nan"),
        ([0.5, -0.1], [0.5], r"attraction\[1\] is -0.1"),
        ([0.5, 0.1], [1.5], r"termination\[0\] is 1.5"),
        ([0.5, 0.1], [0.1, 0.2, 0.3], "K is 3 and L is 2"),
        ([], [0.5], "attraction is empty"),
        ([0.5, 0.2], [], "termination is empty"),
        ([[0.5, 0.2]], [0.5], "attraction has 2 dimensions"),
        ([[0.5], [0.2, 0.3]], [0.5], "attraction is not an array"),
        ([0.5], [0.5], "L is 1"),
    ],
)
def test_a_wrong_dcm_is_refused_by_name(attraction: Any, termination: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dr.Dcm(attraction, termination)


@pytest.mark.parametrize("wrong", [["a", "b"], [None, 0.5], np.array([0.5, 1j]), [object(), 0.2]])
def test_what_is_no_number_is_a_type_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match="attraction must be numbers"):
        dr.Dcm(wrong, [0.5])


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("nowhere.json", FileNotFoundError, "nowhere.json"),
        ("/", ValueError, "it is a directory"),
        ("lb:L=16", ValueError, "problem 'lb:L=16': K is missing"),
        ("lb:L=16,K=4,p=0.2,gap=0.3,gamma=0.5", ValueError, "gap"),
        ("", ValueError, "problem is ''"),
        ("-", ValueError, "not the name of a file"),
        (3, TypeError, "problem must be a path, not int"),
        ({"model": "pmb"}, ValueError, "did you mean 'pbm'"),
        ({"attraction": [float("nan")]}, ValueError, "NaN"),
        ({"attraction": [object()]}, TypeError, "problem holds"),
        ({}, ValueError, "attraction"),
    ],
)
def test_what_is_no_problem_is_refused(source: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        dr.problem(source)
    assert "\n" not in str(caught.value)


def test_a_query_or_reward_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="query"):
        dr.problem(PROBLEMS["dcm"], query="red shoes")
    with pytest.raises(ValueError, match="^reward"):
        dr.problem(PROBLEMS["cascade"], reward="joy")
    with pytest.raises(TypeError, match="reward must be text"):
        dr.problem(PROBLEMS["dcm"], reward=[])  # type: ignore[arg-type]


def test_bounds_are_the_command_s(command: Any) -> None:
    spelling = "lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5"
    theirs = command("bounds", "--problem", spelling, "--steps", 10_000)
    ours = dr.bounds(dr.problem(spelling), steps=10_000)
    for name in ("alpha", "theorem1", "theorem2", "epsilon", "lower_per_log_n"):
        assert getattr(ours, name) == theirs[name]
    assert list(ours.proposition1) == theirs["proposition1"]


def test_bounds_need_a_dcm_and_steps() -> None:
    with pytest.raises(ValueError, match="'pbm'; the bounds are about a DCM"):
        dr.bounds(PROBLEMS["pbm"], steps=10)
    with pytest.raises(ValueError, match="steps is 0"):
        dr.bounds(PROBLEMS["dcm"], steps=0)


def test_expected_reward_takes_a_list_of_k_different_items(any_problem: dr.Problem) -> None:
    assert 0 < any_problem.expected_reward([1, 3]) <= any_problem.best_expected_reward()
    with pytest.raises(ValueError, match="ranking has item 1 twice"):
        any_problem.expected_reward([1, 1])


@pytest.mark.parametrize("kind", PROBLEMS)
def test_every_problem_knows_its_best_list_and_its_numbers(kind: str) -> None:
    problem = dr.problem(PROBLEMS[kind])
    best = problem.best_list()
    assert problem.expected_reward(best) == problem.best_expected_reward() and problem.best_list_is_exact
    rewards = [problem.expected_reward(pair) for pair in itertools.permutations(range(4), 2)]
    assert problem.best_expected_reward() == pytest.approx(max(rewards))
    given = {name: value for name, value in PROBLEMS[kind].items() if name not in ("model", "positions")}
    assert list(problem.parameters) == list(given)
    for name, value in given.items():
        assert problem.parameters[name].tolist() == np.hstack(np.atleast_1d(value) if np.isscalar(value) else value).tolist()


def test_a_best_list_that_was_found_by_exchanges_is_called_so() -> None:
    draw = np.random.default_rng(1)
    many = {"model": "sdbn", "attraction": draw.random(30), "satisfaction": draw.random(30), "positions": 5,
            "reward": "clicks"}  # fmt: skip
    problem = dr.problem(many)
    assert not problem.best_list_is_exact and len(problem.best_list()) == 5
    assert problem.expected_reward(problem.best_list()) == problem.best_expected_reward()


def test_a_masked_array_is_refused() -> None:
    masked = np.ma.masked_array([0.5, 0.2], [False, True])
    with pytest.raises(TypeError, match="attraction is a masked array, whose mask would be lost: fill it first"):
        dr.Dcm(masked, [0.5])


def test_items_that_were_hardly_shown_are_left_out_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    shown = {"a": 100, "b": 60, "c": 1}
    items = [{"item": name, "attraction": 0.5, "impressions": n} for name, n in shown.items()]
    query = {"query": "q", "impressions": 100, "termination": [0.5, 0.4], "items": items}
    model = {"model": "dcm", "method": "em", "positions": 2, "queries": [query]}
    path.write_text(json.dumps(model))
    assert dr.problem(path).items == 3
    assert dr.problem(path, min_shown=20).items == 2
    assert dr.load(path).problem(min_shown=20) == dr.problem(path, min_shown=20)
    with pytest.raises(ValueError, match="min-shown 61 leaves 1 of 3 items"):
        dr.problem(path, min_shown=61)
    with pytest.raises(ValueError, match="min_shown: the problem is not a model"):
        dr.problem({"attraction": [0.5, 0.2], "termination": [0.5]}, min_shown=1)
    with pytest.raises(ValueError, match="min_shown is -1"):
        dr.problem(path, min_shown=-1)
