"""Pickles, copies, processes, threads, and memory."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import pickle
import resource
import threading
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

import dcmrank as dr
from test_policies import NAMES


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("twin_of", [pickled, copy.copy, copy.deepcopy, lambda v: cloudpickle.loads(cloudpickle.dumps(v))])
@pytest.mark.parametrize("name", NAMES)
def test_a_copied_policy_goes_on_as_the_first_would(name: str, twin_of: Any, small: dr.Dcm) -> None:
    policy, users = dr.policy(name, items=4, k=2, seed=4, steps=300), dr.Users(small, seed=4)
    users.play(policy, 100)
    waits = policy.rank()  # its clicks are still to come
    twin, twin_users = twin_of(policy), twin_of(users)
    assert twin.to_json() == policy.to_json() and repr(twin) == repr(policy)
    for mine, theirs in ((policy, users), (twin, twin_users)):
        mine.update(waits.tolist(), [1, 0])
        theirs.play(mine, 200)
    assert twin.to_json() == policy.to_json()
    assert (twin_users.regret, twin_users.reward, twin_users.rounds) == (users.regret, users.reward, 300)
    users.play(policy, 10)
    assert twin_users.rounds == 300  # they are independent


@pytest.mark.parametrize("twin_of", [pickled, copy.copy, copy.deepcopy])
def test_copied_problems_and_results_are_equal(twin_of: Any, any_problem: dr.Problem) -> None:
    twin = twin_of(any_problem)
    assert twin == any_problem and type(twin) is type(any_problem) and twin.note == any_problem.note
    result = dr.compare(any_problem, ["dcm-ts"], steps=50, runs=3)
    assert twin_of(result) == result
    assert (twin_of(result)["dcm-ts"].per_run == result["dcm-ts"].per_run).all()


def test_a_policy_that_knows_its_problem_pickles(small: dr.Dcm) -> None:
    policy = dr.policy("dcm-kl-ucb:order=problem", problem=small, seed=1)
    dr.Users(small).play(policy, 20)
    assert pickled(policy).to_json() == policy.to_json()


def test_states_that_no_policy_wrote_are_refused(small: dr.Dcm) -> None:
    state = dr.policy("ranked-exp3", items=4, k=2).to_json()
    blank = dr.NativePolicy.__new__(dr.NativePolicy)
    for wrong in ("", "{}", state.replace("generator", "gen"), state.replace('"version": 1', '"version": 2'),
                  state.replace('"waiting": []', '"waiting": [{"items": [0, 0], "proposed": [], "gains": [], "initial": false}]'),
                  state.replace('"waiting": []', '"waiting": [{"items": [0, 1], "proposed": [], "gains": [], "initial": false}]')):  # fmt: skip
        with pytest.raises(ValueError, match="policy state"):
            blank.__setstate__(wrong)


def regret_of(seed: int) -> float:
    return dr.compare("lb:L=8,K=2,p=0.2,gap=0.15,gamma=0.5", ["dcm-ts"], steps=500, runs=4, seed=seed)["dcm-ts"].mean


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of fork in a process with threads
def test_processes_find_the_same_results(method: str) -> None:
    here = [regret_of(seed) for seed in (1, 2, 3)]  # threads have run before the fork
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(regret_of, (1, 2, 3)).get(timeout=60) == here


def test_two_threads_compare_at_once() -> None:
    expected = {seed: regret_of(seed) for seed in range(6)}
    found: dict[int, float] = {}
    threads = [threading.Thread(target=lambda s=seed: found.__setitem__(s, regret_of(s))) for seed in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == expected


def test_a_policy_at_play_is_not_touched_by_another_thread(small: dr.Dcm) -> None:
    policy, users = dr.policy("dcm-ts", items=4, k=2), dr.Users(small)
    refused: list[str] = []

    def disturb(done: int, total: int) -> None:
        for touch in (policy.rank, lambda: users.visit([0, 1]), policy.to_json, lambda: users.play(policy, 1)):
            try:
                touch()
            except RuntimeError as error:
                refused.append(str(error))

    users.play(policy, 3_000_000, progress=disturb)
    assert len(refused) >= 4 and "policy 'dcm-ts' is playing rounds in another thread" in refused
    policy.rank()


def megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def test_memory_stays_flat(small: dr.Dcm) -> None:
    def use() -> None:
        users, policy = dr.Users(small), dr.policy("ranked-exp3", items=4, k=2)
        ranking = policy.rank()
        policy.update(ranking, users.visit(ranking))
        policy.rank()
        pickled(policy), copy.deepcopy(users), pickled(dr.Dcm([0.5, 0.2], [0.1]))
        with pytest.raises(ValueError):
            users.visit([0, 0])

    def many(times: int) -> float:
        for _ in range(times):
            use()
        gc.collect()
        return megabytes()

    before = many(2_000)
    assert many(10_000) - before < 3


def test_comparisons_leave_nothing_behind(small: dr.Dcm) -> None:
    class Fixed(dr.Policy):
        def rank(self) -> Any:
            return [0, 1]

        def update(self, ranking: Any, clicks: Any) -> None: ...

    def many(times: int) -> float:
        for _ in range(times):
            dr.compare(small, ["dcm-ts", Fixed], steps=20, runs=2).to_json()
        gc.collect()
        return megabytes()

    before = many(200)
    assert many(500) - before < 3
