"""On Spark: the bits of the command for any partitioning; what is refused; comparisons."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

import cluster_cases
import clusters
import dcmrank as dr
from log_cases import MODELS, command, write_log
from spark_program import PARTITIONS, em_if_it_can


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the program on Spark left; it runs once, for all tests."""
    clusters.require("pyspark", "joblibspark", java=True)
    path = tmp_path_factory.mktemp("spark")
    write_log(path / "log.tsv", "tsv")
    clusters.run("spark_program.py", path, seconds=300)
    return path


def test_counts_are_those_of_the_command(folder: Path) -> None:
    command("count", folder / "log.tsv", "--for", "all", "--out", folder / "command.counts")
    for partitions in PARTITIONS:
        assert (folder / f"{partitions}.counts").read_bytes() == (folder / "command.counts").read_bytes()


@pytest.mark.parametrize("name", MODELS)
def test_models_are_those_of_the_command(name: str, folder: Path) -> None:
    method = em_if_it_can(name).method
    command("fit", folder / "log.tsv", "--model", name, "--method", method, "--out", folder / "command.json")
    for partitions in PARTITIONS:
        assert (folder / f"{name}.{partitions}.json").read_bytes() == (folder / "command.json").read_bytes()


def test_wrong_frames_are_refused_in_a_line(folder: Path) -> None:
    said = pickle.loads((folder / "refusals").read_bytes())
    assert re.fullmatch(
        r"ValueError: frame: clicks: row [01] has 1 flags for 2 items "
        r"\(of the batch that begins at row 0 of its partition\)", said["lengths"])  # fmt: skip
    assert said["column"].startswith("ValueError: frame has no column items (it needs query, items and clicks)")
    assert said["empty"] == "ValueError: the log has no usable impression (0 lines)"
    assert "em" in said["model"]
    assert not [text for text in said.values() if "\n" in text]


def test_comparisons_by_joblib_are_those_of_one_process(folder: Path) -> None:
    assert pickle.loads((folder / "comparison").read_bytes()) == cluster_cases.compare(n_jobs=1)


def test_what_is_no_frame_of_spark_is_refused() -> None:
    clusters.require("pyspark")
    with pytest.raises(TypeError, match="frame is a dcmrank.*Table, not a Spark data frame"):
        dr.spark.count(dr.example_log(10))
    with pytest.raises(ValueError, match="models has 'dmc'; there are dcm"):
        dr.spark.count(dr.example_log(10), models=["dmc"])
