from __future__ import annotations

import builtins
import json
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dcmrank as dr
from cases import COMMAND, PROBLEMS

POLICIES = ["dcm-kl-ucb", "dcm-ts", "ranked-exp3"]


@pytest.fixture(scope="module")
def result() -> dr.Comparison:
    return dr.compare(PROBLEMS["dcm"], POLICIES, steps=1000, runs=6, seed=2)


def test_what_is_computed_again_is_equal() -> None:
    results = [dr.compare(dr.Dcm([0.6, 0.4, 0.2], [0.5, 0.1]), ["dcm-ts"], steps=50, runs=2, seed=1, n_jobs=n) for n in (1, 2)]
    assert results[0] == results[1]
    assert results[0] != dr.compare(dr.Dcm([0.6, 0.4, 0.2], [0.5, 0.1]), ["dcm-ts"], steps=50, runs=2, seed=2)


def test_a_result_is_a_mapping_by_policy(result: dr.Comparison) -> None:
    assert list(result) == POLICIES and len(result) == 3 and "dcm-ts" in result
    runs = result["dcm-ts"]
    assert runs.per_run.shape == (6,) and runs.curve_per_run.shape == (6, len(runs.steps))
    assert runs.mean == pytest.approx(runs.per_run.mean())
    assert runs.stderr == pytest.approx(runs.per_run.std(ddof=1) / np.sqrt(6))
    assert (runs.curve_per_run[:, -1] == runs.per_run).all()
    assert runs.curve == pytest.approx(runs.curve_per_run.mean(axis=0))
    assert runs.steps[-1] == 1000 and runs.ns_per_step > 0
    with pytest.raises(KeyError, match="'dcm-tz' is not one of dcm-kl-ucb, dcm-ts"):
        result["dcm-tz"]


def test_differences_are_taken_run_by_run(result: dr.Comparison) -> None:
    pairs = result["dcm-ts"].per_run - result["ranked-exp3"].per_run
    mean, stderr = result.difference("dcm-ts", "ranked-exp3")
    assert mean == pytest.approx(pairs.mean())
    assert stderr == pytest.approx(pairs.std(ddof=1) / np.sqrt(6))


def test_the_table_is_the_command_s(result: dr.Comparison, tmp_path: Path) -> None:
    problem = tmp_path / "problem.json"
    problem.write_text(result.problem.to_json())
    flags = [word for policy in POLICIES for word in ("--policy", policy)]
    shown = subprocess.run([COMMAND, "simulate", "--problem", problem, *flags, "--steps", "1000",
                            "--runs", "6", "--seed", "2"], check=True, capture_output=True, text=True)  # fmt: skip

    def numbers(text: str) -> list[list[str]]:
        rows = [line.split() for line in text.splitlines() if line.startswith(tuple(POLICIES))]
        return [row[:-1] for row in rows]  # all but the time

    assert numbers(repr(result)) == numbers(shown.stdout)
    assert max(map(len, repr(result).splitlines())) < 100


def test_the_table_says_what_regret_is_measured_against() -> None:
    users = dr.problem(PROBLEMS["dbn"])
    assert "best list" in repr(dr.compare(users, ["dcm-ts"], steps=100, runs=2))


def test_html_is_a_table_with_names_escaped() -> None:
    class Rows(HTMLParser):
        found: list[str] = []

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            self.found.append(tag)

    result = dr.compare(PROBLEMS["dcm"], {"<b>&": "dcm-ts"}, steps=10, runs=2)
    parser = Rows()
    parser.feed(result._repr_html_())
    assert parser.found.count("tr") == 2 and "b" not in parser.found
    assert "&lt;b&gt;&amp;" in result._repr_html_()


def test_frames_have_a_row_for_every_policy_run_and_step(result: dr.Comparison) -> None:
    frame = result.to_pandas()
    assert list(frame.columns) == ["policy", "run", "step", "regret"]
    assert len(frame) == sum(runs.curve_per_run.size for runs in result.values())
    last = frame[(frame.policy == "dcm-ts") & (frame.step == 1000)]
    assert last.sort_values("run").regret.tolist() == result["dcm-ts"].per_run.tolist()
    assert result.to_arrow().to_pydict() == frame.to_dict("list")
    assert result.to_polars().to_dict(as_series=False) == frame.to_dict("list")


def test_a_plot_has_bands_and_can_be_told_apart_without_colours(result: dr.Comparison) -> None:
    ax = result.plot()
    lines = ax.get_lines()
    assert [line.get_label() for line in lines] == POLICIES
    assert len({(line.get_linestyle(), str(line.get_marker())) for line in lines}) == 3
    assert len(ax.collections) == 3
    legend = ax.get_legend()
    assert legend is not None and len(legend.get_texts()) == 3
    assert result.plot(ax, axes="loglog") is ax and ax.get_yscale() == "log"
    assert ax.figure is not None
    ax.figure.clear()
    with pytest.raises(ValueError, match="axes is 'round', not one of linear, logx, loglog"):
        result.plot(axes="round")


@pytest.mark.parametrize(
    ("method", "package"),
    [("to_pandas", "pandas"), ("to_arrow", "pyarrow"), ("to_polars", "polars"), ("plot", "matplotlib")],
)
def test_a_missing_package_is_named(method: str, package: str, result: dr.Comparison, monkeypatch: Any) -> None:
    real = builtins.__import__
    for module in [m for m in __import__("sys").modules if m.partition(".")[0] == package]:
        monkeypatch.setitem(__import__("sys").modules, module, None)
    monkeypatch.setattr(builtins, "__import__", real)
    with pytest.raises(ModuleNotFoundError, match=rf"^{method}\(\) needs {package}: pip install {package}$"):
        getattr(result, method)()


def test_saved_results_are_read_back_and_refused_when_wrong(result: dr.Comparison, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    result.save(path)
    again = dr.Comparison.load(path)
    assert again == result and repr(again) == repr(result)
    assert list(tmp_path.iterdir()) == [path]
    text = path.read_text()
    for wrong, message in [
        (text.replace('"version": 1', '"version": 2', 1), '"version" is 2, not 1'),
        (text.replace("dcmrank.simulation", "dcmrank.model", 1), '"format" is not'),
        (text.replace('"runs": 6', '"runs": 7', 1), '"per_run" does not have an entry for each run'),
        (text[:-100], "result.json"), ("", "result.json"), ("[]", '"format"'),
    ]:  # fmt: skip
        path.write_text(wrong)
        with pytest.raises(ValueError, match=message):
            dr.Comparison.load(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        dr.Comparison.load(tmp_path / "nowhere")
    with pytest.raises(OSError, match="nowhere"):
        result.save(tmp_path / "nowhere" / "result.json")


def test_a_file_that_no_comparison_wrote_is_refused(result: dr.Comparison, tmp_path: Path) -> None:
    path = tmp_path / "result.json"

    def refused(words: str, change: Callable[[Any], object]) -> None:
        content = json.loads(result.to_json())
        change(content)
        path.write_text(json.dumps(content))
        with pytest.raises(ValueError, match=words) as said:
            dr.Comparison.load(path)
        assert "\n" not in str(said.value) and str(said.value).startswith(str(path))

    def curve(field: str, value: Any) -> Callable[[Any], object]:
        return lambda content: content["policies"][0]["curve"].update({field: value})

    steps = result[POLICIES[0]].steps.tolist()
    refused("occurs twice", lambda content: content["policies"].append(content["policies"][0]))
    refused('"steps" is .-1.,', lambda content: content.update(steps=-1))
    refused('"steps" is .1e', lambda content: content.update(steps=1e300))
    refused(r"step\[0\] is .-1.,", curve("step", [-1, *steps[1:]]))
    refused(r"is .1e\+300", curve("step", [*steps[:-1], 1e300]))
    refused("does not increase", curve("step", steps[::-1]))
    refused("beyond", curve("step", [*steps[:-1], result.steps + 1]))
    refused("a number for each run", curve("per_run", [[1.0]] * len(steps)))


def test_the_command_s_file_is_a_result_too(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    subprocess.run([COMMAND, "simulate", "--problem", "lb:L=4,K=2,p=0.2,gap=0.15,gamma=0.5", "--policy",
                    "dcm-ts", "--steps", "100", "--runs", "3", "--json", path], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    result = dr.Comparison.load(path)
    assert result.to_pandas().step.tolist() == [100] * 3  # it has only the end of each run
    assert result.plot().get_xlabel() == "step n"
