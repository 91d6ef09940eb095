"""Counting and fitting on Spark, where a log is larger than one machine.

A Spark data frame has a page a row: ``query``, ``items`` and ``clicks`` (flags, as many as items).
Every task counts its rows by the library; Spark's own ``groupBy`` and ``sum`` add the whole numbers
up; the sums come to the driver, where models are fitted. So the result is the same to the last bit
for any partitioning, and that of ``dcmrank fit`` on one machine. This package must be installed
where Spark's workers are, in the driver's version.

>>> import dcmrank as dr
>>> from pyspark.sql import SparkSession                                     # doctest: +SKIP
>>> frame = SparkSession.builder.getOrCreate().read.parquet("pages")         # doctest: +SKIP
>>> model = dr.spark.fit(dr.DependentClickModel(method="em"), frame)         # doctest: +SKIP
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from dcmrank import _core
from dcmrank._logs import Counts, models_of
from dcmrank._optional import needed
from dcmrank._tables import Table

if TYPE_CHECKING:
    from dcmrank._click_model import ClickModel

Model = TypeVar("Model", bound="ClickModel")

NUMBERS = [f"n{n}" for n in range(6)]
ROWS = ", ".join(["query string", "kind long", "key string", *(f"{name} long" for name in NUMBERS)])
MOST_KEPT = 1_000_000  # queries, items and tails of a task, before it hands them over
ROWS_AT_ONCE = 1 << 16


def count(frame: Any, *, models: str | Sequence[str] = ()) -> Counts:
    """Counts the pages of a Spark data frame: what :func:`dcmrank.count` counts on one machine.

    ``models`` names those whose EM the counts shall be enough for, or is ``"all"``. The sums, not the
    pages, must fit in the driver's memory and its ``spark.driver.maxResultSize``.
    """
    named = models_of(models)
    functions = needed("pyspark.sql.functions", "dcmrank.spark")
    errors = needed("pyspark.errors", "dcmrank.spark")
    counted = _pages_of(frame).mapInArrow(functools.partial(_rows, named, _core.version), ROWS)
    summed = counted.groupBy("query", "kind", "key").agg(
        *(functions.sum(name).alias(name) for name in NUMBERS)
    )
    try:
        table = summed.toArrow()
    except errors.PythonException as fault:
        raise _plain(fault) from fault
    return Counts(_core.counted_of_rows(table.__arrow_c_stream__(), named))


def fit(model: Model, frame: Any) -> Model:
    """Fits a click model to the pages of a Spark data frame: to the bits of ``model.fit`` of them all."""
    arguments = model._arguments()  # refuses what is wrong before the work
    return model.fit(count(frame, models=[arguments.model] if arguments.method == "em" else []))


def _pages_of(frame: Any) -> Any:
    if not all(hasattr(frame, name) for name in ("mapInArrow", "toArrow", "columns")):
        kind = type(frame)
        spark = "a Spark data frame (pyspark 4 or later)"
        raise TypeError(f"frame is a {kind.__module__}.{kind.__qualname__}, not {spark}")
    for name in ("query", "items", "clicks"):
        found = frame.columns.count(name)
        if found == 0:
            had = ", ".join(frame.columns)
            raise ValueError(f"frame has no column {name} (it needs query, items and clicks); it has {had}")
        if found > 1:
            raise ValueError(f"frame has two columns {name}")
    return frame.select("query", "items", "clicks")


def _rows(models: list[str], version: str, batches: Iterator[Any]) -> Iterator[Any]:
    """On a worker: what batches of pages count to, as rows that add up."""
    import pyarrow

    if version != _core.version:
        raise ValueError(f"the driver has dcmrank {version}, this worker {_core.version}")
    counter = _core.Counter(models)
    before = 0
    for batch in batches:
        if batch.num_rows == 0:
            continue
        stream = pyarrow.Table.from_batches([batch]).__arrow_c_stream__()
        try:
            counter.add(_core.open_stream(stream, True))
        except (ValueError, TypeError) as fault:
            raise type(fault)(f"{fault} (of the batch that begins at row {before} of its partition)") from None
        before += batch.num_rows
        if counter.size() >= MOST_KEPT:
            yield from _batches(counter)
    yield from _batches(counter)


def _batches(counter: _core.Counter) -> Iterator[Any]:
    import pyarrow

    text, number = pyarrow.string(), pyarrow.int64()
    columns = {"query": text, "kind": number, "key": text, **dict.fromkeys(NUMBERS, number)}
    table = Table(counter.take()).to_arrow().cast(pyarrow.schema(columns.items()))
    yield from table.to_batches(max_chunksize=ROWS_AT_ONCE)


def _plain(fault: Exception) -> Exception:
    """What a worker refused, as it would be refused here; else the fault itself."""
    said = re.findall(r"^(ValueError|TypeError): (.*)$", str(fault), flags=re.MULTILINE)
    if not said:
        return fault
    kind, message = said[-1]
    return {"ValueError": ValueError, "TypeError": TypeError}[kind](f"frame: {message}")
