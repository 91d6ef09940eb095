"""Click models: the command's numbers, scikit-learn's manners."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from log_cases import FITS, MODELS, command, text_of, write_log
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.utils.validation import check_is_fitted

import dcmrank as dr


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("logs")
    return {name: write_log(folder / name, name) for name in ("tsv", "yandex2011")}


@pytest.fixture(scope="module")
def pages() -> dr.Table:
    return dr.example_log(2000)


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> dr.ClickModel:
    return MODELS[request.param]()


@pytest.mark.parametrize("format", ["tsv", "yandex2011"])
@pytest.mark.parametrize(("name", "options", "flags"), FITS)
def test_a_fit_is_the_commands_file_to_the_last_byte(
    name: str, options: dict[str, Any], flags: list[str], format: str,
    logs: dict[str, Path], tmp_path: Path,
) -> None:  # fmt: skip
    command("fit", "--format", format, logs[format], "--model", name, *flags, "--out",
            tmp_path / "command.json")  # fmt: skip
    fitted = MODELS[name](**options).fit(dr.read_log(logs[format], format=format))
    assert text_of(fitted, tmp_path / "ours.json") == (tmp_path / "command.json").read_text()


@pytest.mark.parametrize(("name", "options", "flags"), FITS)
def test_a_frame_gives_what_its_file_gives(
    name: str, options: dict[str, Any], flags: list[str], logs: dict[str, Path], tmp_path: Path
) -> None:
    log = dr.read_log(logs["yandex2011"], format="yandex2011")
    by_file = json.loads(text_of(MODELS[name](**options).fit(log), tmp_path / "file.json"))
    by_frame = json.loads(text_of(MODELS[name](**options).fit(log.to_polars()), tmp_path / "f.json"))
    del by_file["log"], by_frame["log"]  # lines of a file, rows of a frame
    if "max_tails" in options:  # then the log is read in its own order, in each iteration
        by_file, by_frame = by_file["continuation"], by_frame["continuation"]
    assert by_file == by_frame


def test_scores_are_the_commands(logs: dict[str, Path], tmp_path: Path) -> None:
    model = dr.UserBrowsingModel().fit(dr.read_log(logs["tsv"], format="tsv"))
    model.save(tmp_path / "model.json")
    command("evaluate", "--model", tmp_path / "model.json", "--format", "yandex2011",
            logs["yandex2011"], "--json", tmp_path / "scores.json")  # fmt: skip
    expected = json.loads((tmp_path / "scores.json").read_text())
    log = dr.read_log(logs["yandex2011"], format="yandex2011")
    scores = model.evaluate(log)
    assert scores.sessions == expected["sessions"]
    assert model.score(log) == scores.log_likelihood == expected["log_likelihood"]
    assert model.perplexity(log) == scores.perplexity == expected["perplexity"]
    assert model.conditional_perplexity(log) == expected["conditional_perplexity"]
    assert scores.perplexity_at.tolist() == expected["perplexity_at"]
    assert scores.conditional_perplexity_at.tolist() == expected["conditional_perplexity_at"]


@pytest.mark.parametrize("ranking", ["random", "optimal"])
def test_samples_are_the_commands_log(ranking: str, logs: dict[str, Path], tmp_path: Path) -> None:
    model = dr.DependentClickModel().fit(dr.read_log(logs["tsv"], format="tsv"))
    model.save(tmp_path / "model.json")
    command("generate", "--model", tmp_path / "model.json", "--impressions", 500, "--seed", 7,
            "--ranking", ranking, "--format", "tsv", "--out", tmp_path / "log.tsv")  # fmt: skip
    written = dr.read_log(tmp_path / "log.tsv", format="tsv").read()
    assert model.sample(500, seed=7, ranking=ranking) == written


def test_counts_of_parts_add_up_to_the_whole(logs: dict[str, Path], tmp_path: Path) -> None:
    lines = logs["tsv"].read_text().splitlines(keepends=True)
    for n in range(3):
        (tmp_path / f"{n}.tsv").write_text("".join(lines[n::3]))
    counts = [dr.count(tmp_path / f"{n}.tsv", format="tsv") for n in range(3)]
    whole = dr.count(logs["tsv"], format="tsv")
    assert counts[0] + counts[1] + counts[2] == whole == sum(counts)
    by_counts = dr.DependentClickModel().fit(sum(counts))  # type: ignore[arg-type]
    by_log = dr.DependentClickModel().fit(dr.read_log(logs["tsv"], format="tsv"))
    assert text_of(by_counts, tmp_path / "a") == text_of(by_log, tmp_path / "b")
    command("count", "--format", "tsv", logs["tsv"], "--out", tmp_path / "command.counts")
    whole.save(tmp_path / "ours.counts")
    assert (tmp_path / "ours.counts").read_text() == (tmp_path / "command.counts").read_text()
    assert dr.load(tmp_path / "command.counts") == whole == pickle.loads(pickle.dumps(whole))


def test_counts_cannot_do_what_needs_pages(pages: dr.Table) -> None:
    counts = dr.count(pages)
    with pytest.raises(ValueError, match="counts: EM needs the log itself"):
        dr.DependentClickModel(method="em").fit(counts)
    with pytest.raises(TypeError, match="data are counts, which have no pages"):
        dr.CascadeModel().fit(pages).score(counts)  # type: ignore[arg-type]


# ---- scikit-learn


def test_parameters_are_kept_as_they_are(model: dr.ClickModel) -> None:
    prior = [3, 4]
    changed = type(model)(prior=prior)  # type: ignore[call-arg]
    assert changed.get_params()["prior"] is prior
    assert clone(changed).get_params() == changed.get_params()
    assert changed.set_params(top=3, n_jobs=1) is changed and changed.top == 3
    with pytest.raises(ValueError, match="has no parameter 'depth'"):
        changed.set_params(depth=1)


def test_a_clone_is_not_fitted(model: dr.ClickModel, pages: dr.Table) -> None:
    check_is_fitted(model.fit(pages))
    with pytest.raises(dr.NotFittedError, match="is not fitted: call fit first"):
        clone(model).score(pages)
    assert not hasattr(clone(model), "attraction_")


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_cross_validation_keeps_sessions_together(library: str, logs: dict[str, Path]) -> None:
    table = dr.read_log(logs["yandex2011"], format="yandex2011").read()
    frame = getattr(table, f"to_{library}")()
    sessions = table["session"] % 50
    scores = cross_val_score(dr.PositionBasedModel(), frame, groups=sessions, cv=GroupKFold(4))
    plain = table.to_pandas()
    for score, (train, test) in zip(scores, GroupKFold(4).split(plain, groups=sessions)):
        fitted = dr.PositionBasedModel().fit(plain.iloc[train])
        assert score == fitted.score(plain.iloc[test])


def test_parameters_can_be_searched(pages: dr.Table) -> None:
    search = GridSearchCV(dr.DependentClickModel(), {"method": ["count", "em"]}, cv=3)
    search.fit(pages.to_pandas())
    assert search.best_params_ == {"method": "em"}


# ---- what was fitted


def test_tables_say_what_the_file_says(model: dr.ClickModel, pages: dr.Table, tmp_path: Path) -> None:
    file = json.loads(text_of(model.fit(pages), tmp_path / "model.json"))
    table = model.attraction_
    items = [(q["query"], i) for q in file["queries"] for i in q["items"]]
    assert list(zip(table["query"], table["item"])) == [(q, i["item"]) for q, i in items]
    for column in ("attraction", "shown", "clicked", "impressions"):
        assert table[column].tolist() == [i[column] for _, i in items]
    for row, (_, item) in enumerate(items):
        assert table["identified"][row] == ("attraction" not in item.get("unidentified", []))
        if "interval" in item:
            assert [table["low"][row], table["high"][row]] == item["interval"]
    assert model.queries_["query"].tolist() == [q["query"] for q in file["queries"]]
    assert model.report_ == file["log"] and model.positions_ == file["positions"]


def test_lists_have_their_places(pages: dr.Table) -> None:
    per_query = dr.DependentClickModel().fit(pages).termination_
    assert per_query.columns == ["query", "position", "termination", "identified"]
    assert per_query["position"].tolist() == [1, 2, 3, 4, 5] * 2
    assert per_query["identified"].tolist() == [True, True, True, True, False] * 2
    shared = dr.DependentClickModel(termination="shared").fit(pages).termination_
    assert shared.columns == ["position", "termination", "identified"] and len(shared) == 5
    browsing = dr.UserBrowsingModel().fit(pages).examination_
    assert list(zip(browsing["position"], browsing["distance"]))[:6] == [
        (1, 0), (2, 1), (2, 0), (3, 1), (3, 2), (3, 0)]  # fmt: skip
    assert dr.PositionBasedModel().fit(pages).examination_["position"].tolist() == [1, 2, 3, 4, 5]
    assert dr.ClickChainModel().fit(pages).alpha_["entry"].tolist() == [1, 2, 3]
    network = dr.DynamicBayesianModel().fit(pages)
    assert len(network.satisfaction_) == len(network.attraction_) and len(network.continuation_) == 1


def test_predictions_follow_the_cascade(pages: dr.Table) -> None:
    model = dr.CascadeModel().fit(pages)
    table = model.attraction_
    attraction = dict(zip(zip(table["query"], table["item"]), table["attraction"]))
    predicted, given = model.predict_clicks(pages), model.predict_conditional_clicks(pages)
    assert len(predicted) == len(given) == len(pages)
    for row in (0, 1, len(pages) - 1):
        w = [attraction[pages["query"][row], item] for item in pages["items"][row]]
        examined = np.cumprod([1.0, *(1 - np.array(w[:-1]))])
        assert predicted["probability"][row] == pytest.approx(w * examined)
        before = np.concatenate([[0], np.cumsum(pages["clicks"][row])[:-1]])
        assert given["probability"][row] == pytest.approx(np.where(before == 0, w, 0))


def test_a_model_is_the_problem_of_a_query(pages: dr.Table) -> None:
    model = dr.DependentClickModel(method="em").fit(pages)
    problem = model.problem("red shoes")
    assert isinstance(problem, dr.Dcm) and (problem.items, problem.k) == (8, 5)
    assert dr.compare(problem, ["recommended"], steps=100, runs=2, seed=1)["recommended"].mean > 0
    with pytest.raises(ValueError, match="no query 'red shoe'.*red shoes"):
        model.problem("red shoe")
    with pytest.raises(ValueError, match="a model of 2 queries"):
        model.problem()


# ---- the same for any number of threads, and however the log is held


def test_threads_change_nothing(model: dr.ClickModel, logs: dict[str, Path], tmp_path: Path) -> None:
    log = dr.read_log([logs["tsv"]] * 3, format="tsv")
    texts = {text_of(clone(model).set_params(n_jobs=n).fit(log), tmp_path / "m") for n in (1, 2, 5)}
    assert len(texts) == 1


def test_few_tails_in_memory_give_the_same_model(pages: dr.Table) -> None:
    many = dr.DependentClickModel(method="em").fit(pages).attraction_["attraction"]
    few = dr.DependentClickModel(method="em", max_tails=1).fit(pages).attraction_["attraction"]
    assert few == pytest.approx(many, abs=1e-6)


def test_it_pickles_and_copies(model: dr.ClickModel, pages: dr.Table, tmp_path: Path) -> None:
    for bare in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert bare.get_params() == model.get_params()
    text = text_of(model.fit(pages), tmp_path / "a")
    for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert text_of(twin, tmp_path / "b") == text
        assert twin.score(pages) == model.score(pages)
        assert twin.attraction_ == model.attraction_


def test_it_is_loaded_as_it_was_saved(model: dr.ClickModel, pages: dr.Table, tmp_path: Path) -> None:
    text = text_of(model.set_params(prior=(2, 1)).fit(pages), tmp_path / "a")
    loaded = dr.load(tmp_path / "a")
    assert type(loaded) is type(model) and repr(loaded) == repr(model)
    assert text_of(loaded, tmp_path / "b") == text


# ---- convergence, progress, interruption


def test_it_says_that_em_did_not_converge(pages: dr.Table) -> None:
    model = dr.PositionBasedModel(max_iterations=2)
    with pytest.warns(dr.ConvergenceWarning, match="EM did not converge in 2 iterations") as seen:
        model.fit(pages)
    assert seen[0].filename == __file__
    assert not model.converged_ and model.n_iter_ == 2 and len(model.log_likelihoods_) == 3


def test_progress_is_told(logs: dict[str, Path]) -> None:
    log = dr.read_log(logs["tsv"], format="tsv")
    seen: list[tuple[int, int]] = []
    dr.CascadeModel(progress=lambda *how: seen.append(how)).fit(log)  # type: ignore[arg-type]
    size = logs["tsv"].stat().st_size
    assert seen[-1] == (size, size)


def interrupted_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@pytest.mark.parametrize("name", ["dcm", "pbm", "ubm", "dbn", "ccm"])
def test_ctrl_c_stops_em_within_a_second(name: str) -> None:
    model = MODELS[name](method="em", tolerance=0, max_iterations=10**9)
    large = dr.example_log(50_000)
    timer = interrupted_after(0.5)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() - begin < 30:
            model.fit(large)
    assert time.monotonic() - begin < 1.5
    timer.join()


def test_ctrl_c_stops_sampling_within_a_second(pages: dr.Table) -> None:
    model = dr.CascadeModel().fit(pages)
    timer = interrupted_after(0.3)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.sample(10**9)
    assert time.monotonic() - begin < 1.3
    timer.join()


def test_ctrl_c_stops_reading_within_a_second(logs: dict[str, Path]) -> None:
    log = dr.read_log([logs["tsv"]] * 5000, format="tsv")
    for call in (dr.CascadeModel().fit, dr.CascadeModel().fit(dr.example_log()).score, dr.count):
        timer = interrupted_after(0.3)
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            call(log)
        assert time.monotonic() - begin < 1.3
        timer.join()


def test_two_threads_fit_at_once(pages: dr.Table) -> None:
    expected = dr.UserBrowsingModel().fit(pages).attraction_
    found: list[dr.Table] = []
    work = lambda: found.append(dr.UserBrowsingModel().fit(pages).attraction_)  # noqa: E731
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def score_of(model: dr.ClickModel) -> float:
    return clone(model).fit(dr.example_log(500)).score(dr.example_log(500, seed=2))


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_other_processes_fit_the_same(how: str, pages: dr.Table) -> None:
    model = dr.UserBrowsingModel().fit(pages)  # threads have run before the fork
    with multiprocessing.get_context(how).Pool(2) as pool:
        assert set(pool.map(score_of, [model] * 3)) == {score_of(model)}


# ---- refusals


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"method": "guess"}, ValueError, "method is 'guess', not 'count' or 'em'"),
        ({"method": 3}, TypeError, "method must be text, not int"),
        ({"prior": 1}, TypeError, r"prior must be two numbers \(A, B\), not int"),
        ({"prior": (1, 2, 3)}, ValueError, r"prior is not two numbers \(A, B\)"),
        ({"prior": (1, float("nan"))}, ValueError, "prior is nan, not between 0 and 1e"),
        ({"prior": (-1, 1)}, ValueError, "prior is -1, not between 0 and 1e"),
        ({"prior": ("1", 1)}, TypeError, "prior must be a number, not str"),
        ({"top": 0}, ValueError, "top is 0, not between 1 and"),
        ({"top": 1.5}, TypeError, "top must be an integer, not float"),
        ({"min_impressions": True}, TypeError, "min_impressions must be an integer"),
        ({"min_impressions": 10**9}, ValueError, "min_impressions leaves no query"),
        ({"tolerance": 2}, ValueError, "tolerance is 2, not between 0 and 1"),
        ({"max_iterations": 0}, ValueError, "max_iterations is 0, not between 1 and"),
        ({"max_tails": -1}, ValueError, "max_tails is -1, not between 1 and"),
        ({"termination": "none"}, ValueError, "termination is 'none', not 'per-query' or 'shared'"),
        ({"n_jobs": 0}, ValueError, "n_jobs is 0"),
        ({"progress": 3}, TypeError, "progress must be"),
    ],
)
def test_a_wrong_parameter_is_named(
    parameters: dict[str, Any], error: type[Exception], words: str, pages: dr.Table
) -> None:
    with pytest.raises(error, match=words) as raised:
        dr.DependentClickModel(**parameters).fit(pages)
    assert "\n" not in str(raised.value)


def test_a_method_that_a_model_has_not_is_refused(pages: dr.Table) -> None:
    with pytest.raises(ValueError, match="method count: the model pbm is fitted by em"):
        dr.PositionBasedModel(method="count").fit(pages)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"format": "dcmrank.model", "version": 2}', "the file is of a later version"),
        ('{"format": "dcmrank.choice"}', "the file is a 'dcmrank.choice', not a model"),
        ("{", "wrong.json"),
        ("", "wrong.json"),
        ("\xff\xfe", "wrong.json"),
        ("dcmrank.counts\t2\n", "the file is of a later version"),
        ("dcmrank.counts\t1\n", "the file is cut off"),
        ('{"model": "xyz", "method": "count", "positions": 1, "queries": []}', "xyz"),
    ],
)
def test_a_file_of_another_kind_is_refused(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=words) as raised:
        dr.load(path)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_named(pages: dr.Table, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        dr.load(tmp_path / "nowhere.json")
    with pytest.raises(FileNotFoundError, match="model.json"):
        dr.CascadeModel().fit(pages).save(tmp_path / "no" / "model.json")
    with pytest.raises(TypeError, match="path must be a path, not int"):
        dr.load(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"n": 0}, ValueError, "n is 0, not between 1 and"),
        ({"n": 2.0}, TypeError, "n must be an integer"),
        ({"n": 1, "seed": -1}, ValueError, "seed is -1"),
        ({"n": 1, "ranking": "best"}, ValueError, "ranking is 'best'"),
    ],
)
def test_a_sample_of_nonsense_is_refused(
    arguments: dict[str, Any], error: type[Exception], words: str, pages: dr.Table
) -> None:
    with pytest.raises(error, match=words):
        dr.CascadeModel().fit(pages).sample(**arguments)


def test_memory_stays_flat() -> None:
    frame = dr.example_log(20).to_pandas()
    resident = lambda: int(Path("/proc/self/statm").read_text().split()[1]) * 4096  # noqa: E731

    def many(rounds: int) -> None:
        for _ in range(rounds):
            model = dr.DependentClickModel(method="em", n_jobs=1, progress=False).fit(frame)
            pickle.loads(pickle.dumps(model)).attraction_.to_arrow()
            model.predict_clicks(frame)["probability"]

    many(200)
    before = resident()
    many(1000)
    assert resident() - before < 8_000_000


def test_a_name_in_pandas_is_enough(pages: dr.Table) -> None:
    frame = pages.to_pandas()
    assert isinstance(dr.CascadeModel().fit(frame).attraction_.to_pandas(), pd.DataFrame)
