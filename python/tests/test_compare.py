from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

import dcmrank as dr
from cases import PROBLEMS

HARD = "lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5"


class Uniform(dr.Policy):
    """Shows random lists and learns nothing."""

    def rank(self) -> Any:
        return self.rng.permutation(self.items)[: self.k]

    def update(self, ranking: Any, clicks: Any) -> None:
        assert ranking.dtype == np.int64 and clicks.dtype == np.bool_


class Wrapped:
    """The library's dcm-ts as a policy in Python, which needs no base."""

    def __init__(self, items: int, k: int, rng: np.random.Generator) -> None:
        self.policy = dr.policy("dcm-ts", items, k, seed=int(rng.integers(1000)))

    def rank(self) -> Any:
        return self.policy.rank()

    def update(self, ranking: Any, clicks: Any) -> None:
        self.policy.update(ranking, clicks)


@pytest.mark.parametrize("name", ["lb", "pbm", "dbn"])
@pytest.mark.parametrize("n_jobs", [1, None])
def test_results_are_the_command_s_to_the_last_bit(
    name: str, n_jobs: int | None, command: Any, tmp_path: Path
) -> None:
    spelling = HARD
    if name != "lb":
        spelling = str(tmp_path / "problem.json")
        Path(spelling).write_text(json.dumps(PROBLEMS[name]))
    policies = ["dcm-kl-ucb", "recommended", "ranked-exp3:duplicates=random"]
    flags = [word for policy in policies for word in ("--policy", policy)]
    theirs = command("simulate", "--problem", spelling, *flags, "--steps", 3000, "--runs", 5, "--seed", 7)
    ours = dr.compare(spelling, policies, steps=3000, runs=5, seed=7, n_jobs=n_jobs)
    for result in theirs["policies"]:
        mine = ours[result["policy"]]
        assert mine.per_run.tolist() == result["regret"]["per_run"]
        assert (mine.mean, mine.stderr) == (result["regret"]["mean"], result["regret"]["stderr"])
        assert mine.reward == result["reward"]["mean"]
        assert mine.steps.tolist() == result["curve"]["step"]
        assert mine.curve.tolist() == result["curve"]["mean"]
        assert ours.difference(mine.policy, policies[0]) == (
            result["difference"]["mean"], result["difference"]["stderr"])  # fmt: skip


def test_delay_and_depth_are_the_command_s(command: Any) -> None:
    theirs = command("simulate", "--problem", HARD, "--policy", "dcm-ts", "--steps", 500, "--runs", 2,
                     "--delay", 3, "--depth", "2:0.3,4:0.7")  # fmt: skip
    ours = dr.compare(HARD, "dcm-ts", steps=500, runs=2, delay=3, depth="2:0.3,4:0.7")
    assert ours["dcm-ts"].per_run.tolist() == theirs["policies"][0]["regret"]["per_run"]
    assert dr.Comparison.from_json(ours.to_json()) == ours


def test_results_do_not_depend_on_the_number_of_workers(small: dr.Dcm, monkeypatch: Any) -> None:
    monkeypatch.setattr("dcmrank._compare.WORTH_PROCESSES", 0.0)  # joblib's processes, however short
    one, *others = (
        dr.compare(small, ["dcm-ts", Uniform, Wrapped], steps=200, runs=6, seed=3, n_jobs=jobs)
        for jobs in (1, 2, None)
    )
    for other in others:
        for name in ("dcm-ts", "Uniform", "Wrapped"):
            assert other[name].curve_per_run.tolist() == one[name].curve_per_run.tolist()


def test_a_policy_that_cannot_be_sent_to_a_process_is_refused_at_once(small: dr.Dcm) -> None:
    lock = threading.Lock()

    class Locked(Uniform):
        made = 0

        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            Locked.made += 1

        def rank(self) -> Any:
            with lock:
                return super().rank()

    with pytest.raises(TypeError, match="policy 'Locked' cannot be sent to other processes .*lock.*: give n_jobs=1") as said:
        dr.compare(small, ["dcm-ts", Locked], steps=50, runs=3)
    assert Locked.made == 0 and "\n" not in str(said.value)
    alone = dr.compare(small, [Locked], steps=50, runs=3, n_jobs=1)
    with joblib.parallel_config(backend="threading"):  # sends nothing
        together = dr.compare(small, [Locked], steps=50, runs=3)
    assert together["Locked"].per_run.tolist() == alone["Locked"].per_run.tolist()


def test_a_policy_in_python_meets_the_users_of_the_library_s(small: dr.Dcm) -> None:
    class Best(dr.Policy):
        def rank(self) -> Any:
            return [0, 1]

        def update(self, ranking: Any, clicks: Any) -> None:
            seen.append(clicks.tolist())

    seen: list[Any] = []
    result = dr.compare(small, {"best": Best}, steps=40, runs=1, seed=9)
    users = dr.Users(small, seed=9)
    assert seen == [users.visit([0, 1]).tolist() for _ in range(40)]
    assert result["best"].mean == users.regret == 0
    assert result["best"].reward == users.reward


@pytest.mark.parametrize(
    ("ranking", "error", "message"),
    [
        ([1, 1], ValueError, "policy 'Wrong', round 3: its list has item 1 twice"),
        ([0, 4], ValueError, "policy 'Wrong', round 3: its list has item 4; items are numbered"),
        ([0, -1], ValueError, "policy 'Wrong', round 3: its list has item -1"),
        ([0, 1, 2], ValueError, "policy 'Wrong', round 3: its list has 3 items for 2 positions"),
        ([[0, 1]], ValueError, "policy 'Wrong', round 3: its list has 2 dimensions"),
        ([0.0, 1.0], TypeError, "policy 'Wrong', round 3: its list must be integers, not float64"),
        (None, TypeError, "policy 'Wrong', round 3: its list"),
        ("01", (TypeError, ValueError), "policy 'Wrong', round 3: its list"),
    ],
)
def test_wrong_lists_are_refused_by_policy_and_round(
    ranking: Any, error: Any, message: str, small: dr.Dcm
) -> None:
    class Wrong(dr.Policy):
        rounds = 0

        def rank(self) -> Any:
            self.rounds += 1
            return [0, 1] if self.rounds < 3 else ranking

        def update(self, ranking: Any, clicks: Any) -> None: ...

    with pytest.raises(error, match=message):
        dr.compare(small, [Wrong], steps=10, runs=1)


def test_what_a_policy_raises_comes_through_with_a_note(small: dr.Dcm) -> None:
    class Broken(dr.Policy):
        def rank(self) -> Any:
            return [0, 1]

        def update(self, ranking: Any, clicks: Any) -> None:
            raise LookupError("mine")

    with pytest.raises(LookupError, match="^mine") as caught:
        dr.compare(small, [Broken], steps=10, runs=1)
    assert caught.value.__notes__ == ["policy 'Broken', round 1"]
    with pytest.raises(NotImplementedError, match="Policy has no rank"):
        dr.compare(small, [dr.Policy], steps=10, runs=1)


@pytest.mark.parametrize(
    ("policies", "error", "message"),
    [
        ([], ValueError, "policies is empty"),
        ({}, ValueError, "policies is empty"),
        (["dcm-ts", "dcm-ts"], ValueError, "policies has 'dcm-ts' twice"),
        (["dcm-tz"], ValueError, "unknown policy 'dcm-tz' .did you mean 'dcm-ts'"),
        ([3], TypeError, r"policies\[0\] must be a name or a class, not int"),
        (3, TypeError, "policies must be a list, not int"),
        (None, TypeError, "policies must be a list"),
        ({3: "dcm-ts"}, TypeError, "the key 3 of policies must be text, not int"),
        ([Uniform(4, 2, np.random.default_rng(1))], TypeError, "is an object; give its class"),
        ([lambda items, k, rng: 7], TypeError, "has no methods rank and update"),
    ],
)
def test_what_is_no_policy_is_refused(policies: Any, error: Any, message: str, small: dr.Dcm) -> None:
    with pytest.raises(error, match=message):
        dr.compare(small, policies, steps=10, runs=1)


@pytest.mark.parametrize(
    ("argument", "value", "error"),
    [
        ("steps", 0, ValueError), ("steps", -1, ValueError), ("steps", 1.5, TypeError),
        ("steps", 10**13, ValueError), ("steps", "10", TypeError), ("steps", True, TypeError),
        ("runs", 0, ValueError), ("runs", None, TypeError), ("runs", 10**7, ValueError),
        ("seed", -1, ValueError), ("seed", 2**64, ValueError), ("seed", 0.5, TypeError),
        ("n_jobs", 0, ValueError), ("n_jobs", 1.0, TypeError), ("n_jobs", 10**6, ValueError),
        ("delay", -1, ValueError), ("depth", 0, ValueError), ("depth", 1.5, TypeError),
        ("progress", 3, TypeError),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_by_name(argument: str, value: Any, error: Any, small: dr.Dcm) -> None:
    with pytest.raises(error, match=argument):
        dr.compare(small, ["dcm-ts"], **{"steps": 10, "runs": 1, argument: value})


def test_a_depth_that_does_not_fit_is_refused_by_name(small: dr.Dcm) -> None:
    with pytest.raises(ValueError, match="^depth '7'"):
        dr.compare(small, ["dcm-ts"], steps=10, runs=1, depth=7)


def test_numpy_integers_are_taken(small: dr.Dcm) -> None:
    result = dr.compare(small, ["dcm-ts"], steps=np.int16(10), runs=np.uint8(1), seed=np.int64(2))
    assert (result.steps, result.runs, result.seed) == (10, 1, 2)
    assert np.isnan(result["dcm-ts"].stderr)


def test_progress_is_told_to_a_function(small: dr.Dcm) -> None:
    told: list[tuple[int, int]] = []
    dr.compare(small, ["dcm-ts", Uniform], steps=500, runs=2,
               progress=lambda done, total: told.append((done, total)))  # fmt: skip
    assert told[-1][0] <= told[-1][1] == 2000
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_progress_is_a_bar_where_it_is_asked_for(small: dr.Dcm, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("dcmrank._progress.DELAY", 0)
    dr.compare(small, [Uniform], steps=2000, runs=2, progress=True)
    assert "compare" in capsys.readouterr().err
    dr.compare(small, [Uniform], steps=2000, runs=2, progress=False)
    dr.compare(small, [Uniform], steps=2000, runs=2)  # nobody looks: this is no terminal
    assert capsys.readouterr().err == ""


def test_an_error_in_progress_stops_the_work(small: dr.Dcm) -> None:
    def tell(done: int, total: int) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        dr.compare(small, ["dcm-ts"], steps=10**9, runs=4, progress=tell)
