"""Comparisons by joblib: on any backend the bytes of one process."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import joblib
import pytest

import cluster_cases
import clusters


def without_time(comparison: Any, path: Path) -> str:
    """The file of a comparison without how long it took."""
    comparison.save(path)
    return "\n".join(line for line in path.read_text().splitlines() if "ns_per_step" not in line)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> str:
    return without_time(cluster_cases.compare(n_jobs=1), tmp_path_factory.mktemp("alone") / "result.json")


def test_on_joblib_s_own_processes(alone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dcmrank._compare.WORTH_PROCESSES", 0.0)  # however short
    with joblib.parallel_config(backend="loky"):
        assert without_time(cluster_cases.compare(n_jobs=2), tmp_path / "result.json") == alone


def test_on_dask(alone: str, tmp_path: Path) -> None:
    clusters.require("dask", "distributed")
    clusters.run("dask_program.py", tmp_path, seconds=120)
    result = pickle.loads((tmp_path / "comparison").read_bytes())
    assert without_time(result, tmp_path / "result.json") == alone


class Recording(joblib.parallel.ThreadingBackend):  # type: ignore[misc]
    """A backend of somebody else's."""

    sent = 0

    def submit(self, func: Any, callback: Any = None) -> Any:
        Recording.sent += 1
        return super().submit(func, callback)

    apply_async = submit


def test_policies_of_the_library_go_to_a_cluster_too(alone: str, tmp_path: Path) -> None:
    joblib.register_parallel_backend("recording", Recording)
    with joblib.parallel_config(backend="recording"):
        assert without_time(cluster_cases.compare(n_jobs=2), tmp_path / "result.json") == alone
        assert Recording.sent >= 9  # batches of 15 runs
        before = Recording.sent
        cluster_cases.compare(n_jobs=1)
        assert Recording.sent == before
