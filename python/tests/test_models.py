"""Click models: the command's numbers, and what they say."""

from __future__ import annotations

import json
import pickle
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import COMMAND
from log_cases import FITS, MODELS, command, text_of

import dcmrank as dr


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


def test_few_tails_in_memory_give_the_same_model(pages: dr.Table) -> None:
    many = dr.DependentClickModel(method="em").fit(pages).attraction_["attraction"]
    few = dr.DependentClickModel(method="em", max_tails=1).fit(pages).attraction_["attraction"]
    assert few == pytest.approx(many, abs=1e-6)


# ---- pages longer than those of the fit


def longer_log() -> tuple[dr.Table, Any]:
    """A log, and its first three positions."""
    log = dr.example_log(200)
    frame = log.to_pandas()
    return log, frame.assign(items=frame["items"].str[:3], clicks=frame["clicks"].str[:3])


@pytest.mark.parametrize("name", MODELS)
def test_it_says_where_it_guesses(name: str, tmp_path: Path) -> None:
    log, short = longer_log()
    model = MODELS[name]().fit(short)
    calls: list[Any] = [model.predict_clicks, model.predict_conditional_clicks, model.evaluate, model.score]
    parameter = {"dcm": "termination", "pbm": "examination", "ubm": "examination"}.get(name)
    for call in calls:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            call(log)
        assert [(w.category, w.filename) for w in said] == [(dr.ExtrapolationWarning, __file__)] * bool(parameter)
        call(short)  # without a warning
    model.save(tmp_path / "model.json")
    (tmp_path / "log.tsv").write_text("".join(
        f"{q}\t{','.join(i)}\t{','.join(i[c])}\n" for q, i, c in zip(log["query"], log["items"], log["clicks"])
    ))  # fmt: skip
    told = subprocess.run([COMMAND, "evaluate", "--model", tmp_path / "model.json", "--format", "tsv",
                           tmp_path / "log.tsv"], capture_output=True, text=True, check=True).stderr  # fmt: skip
    words = f"200 of 200 pages are longer than those that the model was fitted to: below these its {parameter} is a guess"
    assert (words in told) == bool(parameter), told
    assert not parameter or f"{said[0].message}" in told
