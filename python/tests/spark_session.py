"""A small Spark of two workers on this machine: bounded, on the loopback interface alone, without its pages."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any


QUICK = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"  # for a minute's work


def start(folder: Path, megabytes: int = 1024, java: str = QUICK) -> Any:
    """``megabytes`` is what each worker has, and the driver."""
    os.environ.update(
        SPARK_LOCAL_IP="127.0.0.1",
        SPARK_LOCAL_HOSTNAME="localhost",
        SPARK_WORKER_DIR=str(folder / "work"),
        SPARK_LOCAL_DIRS=str(folder / "local"),
        PYSPARK_PYTHON=sys.executable,
        PYSPARK_DRIVER_PYTHON=sys.executable,
    )
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master(f"local-cluster[2,1,{megabytes}]")
        .appName("dcmrank")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.extraJavaOptions", java)
        .config("spark.executor.extraJavaOptions", java)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", f"{megabytes * 3 // 4}m")
        .config("spark.executor.memory", f"{megabytes * 3 // 4}m")
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.network.timeout", "60s")
        .config("spark.task.maxFailures", "1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session
