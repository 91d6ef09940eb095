"""Counts, fits and compares on Spark; leaves what came of it in files of FOLDER. usage: spark_program.py FOLDER"""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import sys
import time
from pathlib import Path
from typing import Any

import dcmrank as dr
import cluster_cases
from log_cases import MODELS
from spark_session import start

PARTITIONS = (1, 2, 7)


def em_if_it_can(name: str) -> dr.ClickModel:
    return MODELS[name]() if name in ("cascade", "dctr") else MODELS[name](method="em")


def frame_of(session: Any, folder: Path, partitions: int) -> Any:
    rows = dr.read_log(folder / "log.tsv", format="tsv").to_arrow()
    return session.createDataFrame(rows).repartition(partitions)


def refusals(session: Any) -> dict[str, str]:
    """What is said of wrong frames."""

    def said(work: Any) -> str:
        try:
            work()
        except (ValueError, TypeError) as fault:
            return f"{type(fault).__name__}: {fault}"
        return "nothing"

    good = {"query": "q", "items": ["a", "b"], "clicks": [0, 1]}
    schema = "query string, items array<string>, clicks array<int>"
    frame = lambda **change: session.createDataFrame([good, {**good, **change}], schema)  # noqa: E731
    empty = session.createDataFrame([], schema)
    return {
        "lengths": said(lambda: dr.spark.count(frame(clicks=[0]))),
        "column": said(lambda: dr.spark.count(frame().withColumnRenamed("items", "docs"))),
        "empty": said(lambda: dr.spark.count(empty)),
        "model": said(lambda: dr.spark.fit(dr.CascadeModel(method="em"), frame())),
    }


def compare_by_joblib() -> bytes:
    from joblib import parallel_config
    from joblibspark import register_spark  # type: ignore[import-not-found]

    register_spark()
    with parallel_config(backend="spark"):
        return pickle.dumps(cluster_cases.compare(n_jobs=2))


def main(folder: Path) -> None:
    begin = time.perf_counter()
    every = "SPARK_EVERY" in os.environ  # every model by a job of its own for every partitioning: a long one

    def done(what: str) -> None:
        print(f"{time.perf_counter() - begin:6.1f} s  {what}", flush=True)

    session = start(folder)
    done("started")
    for partitions in PARTITIONS:
        frame = frame_of(session, folder, partitions).cache()
        assert frame.rdd.getNumPartitions() == partitions
        counts = dr.spark.count(frame, models="all")
        counts.save(folder / f"{partitions}.counts")
        done(f"counted, {partitions} partitions")
        for name in MODELS:
            model = em_if_it_can(name)
            fitted = dr.spark.fit(model, frame) if partitions == 7 or every else model.fit(counts)
            fitted.save(folder / f"{name}.{partitions}.json")
        done(f"fitted, {partitions} partitions")
    (folder / "refusals").write_bytes(pickle.dumps(refusals(session)))
    done("refused")
    (folder / "comparison").write_bytes(compare_by_joblib())
    done("compared")
    session.stop()
    done("stopped")


if __name__ == "__main__":
    faulthandler.register(signal.SIGQUIT)
    main(Path(sys.argv[1]))
