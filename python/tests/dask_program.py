"""Compares on a Dask cluster of two processes; leaves what came of it in FOLDER. usage: dask_program.py FOLDER"""

from __future__ import annotations

import faulthandler
import pickle
import signal
import sys
from pathlib import Path

import joblib
from dask.distributed import Client, LocalCluster

import cluster_cases

if __name__ == "__main__":
    faulthandler.register(signal.SIGQUIT)
    here = Path(sys.argv[1])
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="1GiB", dashboard_address=None,
                     host="127.0.0.1", local_directory=str(here)) as cluster,
        Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):  # fmt: skip
        (here / "comparison").write_bytes(pickle.dumps(cluster_cases.compare()))
