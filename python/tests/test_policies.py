from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dcmrank as dr

NAMES = [*dr.policies(), "dcm-kl-ucb:init=first-position", "ranked-kl-ucb:duplicates=random",
         "ranked-exp3:duplicates=random"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_ranks_and_learns(name: str, small: dr.Dcm) -> None:
    policy, users = dr.policy(name, items=4, k=2, seed=3), dr.Users(small, seed=3)
    assert isinstance(policy, dr.Policy)
    for _ in range(30):
        ranking = policy.rank()
        assert ranking.dtype == np.int64 and ranking.shape == (2,)
        clicks = users.visit(ranking)
        assert clicks.dtype == np.bool_ and clicks.shape == (2,)
        policy.update(ranking, clicks)
    assert users.rounds == 30 and users.regret >= 0


@pytest.mark.parametrize("name", NAMES)
def test_the_loop_in_python_and_play_are_compare(name: str, small: dr.Dcm) -> None:
    expected = dr.compare(small, [name], steps=200, runs=1, seed=5)[name].mean
    policy, users = dr.policy(name, items=4, k=2, seed=5, steps=200), dr.Users(small, seed=5)
    if policy.wants_initial_sample:
        policy.observe_initial(users.initial_sample())
    for _ in range(100):
        ranking = policy.rank()
        policy.update(ranking, users.visit(ranking))
    users.play(policy, 60)
    users.play(policy, 40)
    assert users.regret == expected  # to the last bit


@pytest.mark.parametrize("dtype", [bool, "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", list])
def test_any_integer_dtype_is_taken(dtype: Any, small: dr.Dcm) -> None:
    def made(values: list[int]) -> Any:
        return values if dtype is list else np.array(values, dtype=dtype)

    policy, users = dr.policy("dcm-ts", items=4, k=2, seed=1), dr.Users(small, seed=1)
    clicks = users.visit(made([1, 0]))
    policy.update(made([1, 0]), made([int(c) for c in clicks]))
    strided = np.zeros(8, dtype=int if dtype is list else dtype)
    strided[::4] = [1, 0]
    assert (dr.Users(small, seed=1).visit(strided[::4]) == clicks).all()


@pytest.mark.parametrize(
    ("ranking", "error", "message"),
    [
        ([0, 0], ValueError, "ranking has item 0 twice"),
        ([0, 4], ValueError, "ranking has item 4; items are numbered from 0 to 3"),
        ([0, -1], ValueError, "ranking has item -1"),
        (np.array([0, 2**64 - 1], dtype="u8"), ValueError, "ranking has item"),
        ([0], ValueError, "ranking has 1 item for 2 positions"),
        ([], ValueError, "ranking has 0 items for 2 positions"),
        ([[0, 1]], ValueError, "ranking has 2 dimensions"),
        (1, ValueError, "ranking has 0 dimensions"),
        ([[0], [1, 2]], ValueError, "ranking is not an array"),
        ([0.0, 1.0], TypeError, "ranking must be integers, not float64"),
        ([0, float("nan")], TypeError, "ranking must be integers"),
        (["a", "b"], TypeError, "ranking must be integers"),
        ([None, None], TypeError, "ranking must be integers, not object"),
        (None, TypeError, "ranking"),
        (np.ma.masked_array([0, 1], [False, True]), TypeError, "ranking is a masked array, whose mask would be lost"),
    ],
)
def test_wrong_lists_are_refused(ranking: Any, error: type[Exception], message: str, small: dr.Dcm) -> None:
    policy, users = dr.policy("dcm-ts", items=4, k=2), dr.Users(small)
    with pytest.raises(error, match=message):
        users.visit(ranking)
    with pytest.raises(error, match=message):
        policy.update(ranking, [0, 0])
    assert users.rounds == 0


@pytest.mark.parametrize(
    ("clicks", "error", "message"),
    [
        ([0, 2], ValueError, r"clicks\[1\] is 2, not 0 or 1"),
        ([-1, 0], ValueError, r"clicks\[0\] is -1"),
        ([0, 0, 0], ValueError, "clicks has 3 entries for a list of 2 items"),
        ([0.5, 0], TypeError, "clicks must be integers, not float64"),
        ("10", (TypeError, ValueError), "clicks"),
    ],
)
def test_wrong_clicks_are_refused(clicks: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        dr.policy("dcm-ts", items=4, k=2).update([0, 1], clicks)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("dcm-tz", 4, 2), ValueError, "unknown policy 'dcm-tz' .did you mean 'dcm-ts'.*dcmrank.policies()"),
        (("dcm-ts:order=1", 4, 2), ValueError, "order"),
        (("dcm-ts:ordre=1,2", 4, 2), ValueError, "did you mean 'order'"),
        (("dcm-ts", 1, 1), ValueError, "items is 1"),
        (("dcm-ts", 4, 0), ValueError, "k is 0"),
        (("dcm-ts", 4, 5), ValueError, "k is 5, not between 1 and 4"),
        (("dcm-ts", 4.0, 2), TypeError, "items must be an integer, not float"),
        (("dcm-ts", True, 2), TypeError, "items must be an integer, not a boolean"),
        ((7, 4, 2), TypeError, "policy must be text"),
        (("dcm-ts", 4), TypeError, "k is missing"),
        (("dcm-ts:order=problem", 4, 2), ValueError, "problem"),
    ],
)
def test_a_policy_that_cannot_be_made_is_refused(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        dr.policy(*arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", None])
def test_a_seed_is_a_whole_number_of_64_bits(seed: Any, small: dr.Dcm) -> None:
    for make in (lambda: dr.policy("dcm-ts", 4, 2, seed=seed), lambda: dr.Users(small, seed=seed)):
        with pytest.raises((TypeError, ValueError), match="^seed"):
            make()


def test_a_policy_may_know_its_problem(small: dr.Dcm) -> None:
    policy = dr.policy("dcm-kl-ucb:order=problem", problem=small, seed=1)
    dr.Users(small, seed=1).play(policy, 10)
    with pytest.raises(ValueError, match="items and k are 5 and 2"):
        dr.policy("dcm-ts", 5, problem=small)


def test_late_clicks_reach_the_list_they_belong_to() -> None:
    policy = dr.policy("ranked-exp3", items=6, k=3, seed=1, steps=100)
    shown = [policy.rank() for _ in range(5)]
    for ranking in reversed(shown):
        policy.update(ranking, [1, 0, 0])
    again = policy.rank()
    policy.update(again.tolist(), [0, 0, 1])  # by its items, where the array is gone
    with pytest.raises(ValueError, match="not a list that policy 'ranked-exp3' made"):
        policy.update(again, [0, 0, 1])
    with pytest.raises(ValueError, match="not a list that policy 'ranked-exp3' made"):
        dr.policy("ranked-exp3", items=6, k=3).update([0, 1, 2], [1, 0, 0])


def test_the_initial_sample_is_taken_once_and_first(small: dr.Dcm) -> None:
    policy = dr.policy("dcm-kl-ucb", items=4, k=2)
    assert policy.wants_initial_sample
    for wrong in ([1, 0], [0, 1, 2, 0]):
        with pytest.raises(ValueError, match="attracted"):
            policy.observe_initial(wrong)
    policy.observe_initial([1, 0, 1, 0])
    assert not policy.wants_initial_sample
    with pytest.raises(ValueError, match="takes no sample: it has begun"):
        policy.observe_initial([1, 0, 1, 0])
    with pytest.raises(ValueError, match="begins without one"):
        dr.policy("ubm-ts", items=4, k=2).observe_initial([1, 0, 1, 0])


def test_saved_policies_are_files_of_one_version(tmp_path: Path, small: dr.Dcm) -> None:
    policy, path = dr.policy("dcm-ts", items=4, k=2), tmp_path / "policy.json"
    dr.Users(small).play(policy, 50)
    policy.save(path)
    assert dr.NativePolicy.load(path).to_json() == policy.to_json()
    path.write_text(path.read_text().replace('"version": 1', '"version": 99'))
    with pytest.raises(ValueError, match='policy.json: .*"version" is 99, not 1'):
        dr.NativePolicy.load(path)
    path.write_text("{")
    with pytest.raises(ValueError, match="policy.json"):
        dr.NativePolicy.load(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        dr.NativePolicy.load(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        policy.save(tmp_path / "nowhere" / "policy.json")


def test_play_takes_policies_in_python_and_names_them(small: dr.Dcm) -> None:
    class Fixed(dr.Policy):
        def rank(self) -> Any:
            return [0, 1] if users.rounds < 7 else [0, 0]

        def update(self, ranking: Any, clicks: Any) -> None:
            assert ranking.tolist() == [0, 1]

    users, fixed = dr.Users(small), Fixed(4, 2, np.random.default_rng(1))
    with pytest.raises(ValueError, match="policy 'Fixed', round 8: its ranking has item 0 twice"):
        users.play(fixed, 10)
    assert users.rounds == 7
    for wrong in (Fixed, 3):
        with pytest.raises(TypeError, match="policy must have methods rank and update"):
            users.play(wrong, 10)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="policy is made for 5 items"):
        users.play(dr.policy("dcm-ts", 5, 2), 10)
    with pytest.raises(ValueError, match="rounds is 0"):
        users.play(dr.policy("dcm-ts", 4, 2), 0)


@pytest.mark.parametrize(
    ("clicks", "seen", "error", "message"),
    [
        ([1], None, ValueError, "clicks has 1 entries for a list of 2 items"),
        ([], None, ValueError, "clicks has 0 entries for a list of 2 items"),
        ([0, 0, 0], None, ValueError, "clicks has 3 entries for a list of 2 items"),
        ([0, 0], 1, ValueError, "clicks has 2 entries for a screen of 1 positions"),
        ([0], 0, ValueError, "seen is 0, not between 1 and 2"),
        ([0], 3, ValueError, "seen is 3, not between 1 and 2"),
        ([0], 10**30, ValueError, "seen is 1000"),
        ([0], 1.0, TypeError, "seen must be an integer"),
        (np.ma.masked_array([0, 1], [False, True]), None, TypeError, "clicks is a masked array"),
    ],
)
def test_clicks_are_a_flag_for_each_item(clicks: Any, seen: Any, error: type[Exception], message: str) -> None:
    policy = dr.policy("dcm-ts", items=4, k=2)
    before = policy.to_json()
    with pytest.raises(error, match=message):
        policy.update([0, 1], clicks, seen=seen)
    assert policy.to_json() == before


def test_a_short_screen_is_said() -> None:
    policy = dr.policy("dcm-ts", items=4, k=2)
    policy.update([3, 1], [0], seen=1)
    assert policy.beliefs["observed"].tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("name", dr.policies())
def test_what_a_policy_believes_is_shown(name: str, small: dr.Dcm) -> None:
    policy, users = dr.policy(name, items=4, k=2, seed=1), dr.Users(small, seed=1)
    if name in ("toprank", "ranked-exp3"):
        with pytest.raises(ValueError, match=f"policy '{name}' counts no clicks of items"):
            policy.beliefs
        return
    assert policy.beliefs["observed"].sum() == 0
    clicked = 0
    for _ in range(300):
        ranking = policy.rank()
        clicks = users.visit(ranking)
        clicked += int(clicks.sum())
        policy.update(ranking, clicks)
    beliefs = policy.beliefs
    by_position = name in ("pbm-ts", "ranked-kl-ucb")
    assert beliefs.columns == ["item", *(["position"] if by_position else []), "observed", "attracted", "estimate"]
    assert len(beliefs) == (8 if by_position else 4)
    assert (beliefs["attracted"] <= beliefs["observed"]).all() and beliefs["observed"].sum() > 0
    if name == "ubm-ts":
        assert np.isnan(beliefs["estimate"]).all() and beliefs["attracted"].sum() == clicked
        return
    assert beliefs["estimate"] == pytest.approx((beliefs["attracted"] + 1) / (beliefs["observed"] + 2))
    if name != "ranked-kl-ucb":
        assert beliefs["attracted"].sum() == pytest.approx(clicked, rel=0.2)


def test_options_are_shown() -> None:
    for name in dr.policies():
        assert all(dr.policy_options(name).values()), name
    assert dr.policy_options("recommended") == dr.policy_options("robust-ts")
    assert dr.policy_options("dcm-ts:counting=em") == dr.policy_options("dcm-ts")
    assert dr.policy("dcm-ts:counting=em", items=4, k=2).options == {"counting": "em"}
    assert dr.policy("recommended", items=4, k=2).name == "robust-ts"
    with pytest.raises(ValueError, match="unknown policy 'dcm-tz'.*'dcm-ts'"):
        dr.policy_options("dcm-tz")
    with pytest.raises(TypeError, match="policy must be text"):
        dr.policy_options(3)  # type: ignore[arg-type]
