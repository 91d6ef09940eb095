"""Tables: the same values for numpy, pandas, polars and pyarrow."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import dcmrank as dr


@pytest.fixture
def attraction() -> dr.Table:
    return dr.DependentClickModel().fit(dr.example_log()).attraction_


@pytest.fixture
def pages() -> dr.Table:
    return dr.example_log(50)


def test_columns_are_numpys(attraction: dr.Table, pages: dr.Table) -> None:
    assert attraction["attraction"].dtype == np.float64 and attraction["identified"].dtype == np.bool_
    assert attraction["item"].dtype == object and not attraction["attraction"].flags.writeable
    assert pages["clicks"][0].dtype == np.bool_ and len(pages["items"][0]) == 5
    assert list(attraction) == attraction.columns and "item" in attraction
    with pytest.raises(KeyError, match="the table has no column 'itm'"):
        attraction["itm"]
    with pytest.raises(KeyError, match="no column of lists 'item'"):
        attraction.flat("item")


def test_libraries_see_the_same(attraction: dr.Table, pages: dr.Table) -> None:
    for table in (attraction, pages):
        arrow, polars, pandas = table.to_arrow(), table.to_polars(), table.to_pandas()
        assert arrow.column_names == polars.columns == list(pandas.columns) == table.columns
        assert arrow.to_pylist() == polars.to_dicts()
        arrow.validate(full=True)
        for name in table.columns:
            plain = [v.tolist() if isinstance(v, np.ndarray) else v for v in pandas[name]]
            expected = [float("nan") if v is None else v for v in arrow[name].to_pylist()]
            assert plain == pytest.approx(expected, nan_ok=True) if name in ("low", "high") else plain == expected


def test_what_is_missing_is_null(attraction: dr.Table) -> None:
    assert attraction.to_arrow()["low"].null_count == len(attraction)  # counting knows no interval
    em = dr.DependentClickModel(method="em").fit(dr.example_log()).attraction_
    assert em.to_arrow()["low"].null_count == 0
    assert (em["low"] <= em["attraction"]).all() and (em["attraction"] <= em["high"]).all()


def test_arrays_outlive_their_table() -> None:
    table = dr.example_log(50)
    clicks, begins = table.flat("clicks")
    arrow = table.to_arrow()
    expected = clicks.copy()
    del table
    gc.collect()
    assert (clicks == expected).all() and begins[-1] == len(clicks) and arrow.num_rows == 50


def test_a_stream_that_nobody_takes_is_released(pages: dr.Table) -> None:
    for _ in range(1000):
        pages.__arrow_c_stream__()
    reader = pa.RecordBatchReader.from_stream(pages)
    del reader


def test_they_pickle_and_copy(attraction: dr.Table, pages: dr.Table) -> None:
    for table in (attraction, pages):
        for twin in (pickle.loads(pickle.dumps(table)), copy.copy(table), copy.deepcopy(table)):
            assert twin == table and repr(twin) == repr(table)
    assert attraction != pages and attraction != 3


def test_they_show_themselves(pages: dr.Table) -> None:
    assert repr(pages).splitlines()[-1] == "... 50 rows"
    assert pages._repr_html_().startswith("<table>") and "50 rows" in pages._repr_html_()


def test_rows_are_taken(attraction: dr.Table, pages: dr.Table) -> None:
    for table in (attraction, pages, attraction.take([])):
        frame = table.to_pandas()
        mask = np.arange(len(table)) % 2 == 0
        for rows in (np.flatnonzero(mask)[::-1], slice(1, None, 2), mask, slice(0, 0)):
            expected = frame.iloc[rows].reset_index(drop=True)
            pd.testing.assert_frame_equal(table.iloc[rows].to_pandas(), expected, check_dtype=len(expected) > 0)
    assert attraction.iloc[-1]["item"].tolist() == attraction["item"][-1:].tolist()
    assert attraction.take(np.array([0], dtype="u1")) == attraction.iloc[:1]


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([50], IndexError, "there is no row 50: the table has 50"),
        ([0, -51], IndexError, "there is no row -51"),
        ([0.5], TypeError, "rows must be the numbers of rows, or a flag for each"),
        ([True, False], TypeError, "a flag for each"),
        ([[0]], TypeError, "rows must be"),
        ("ab", TypeError, "rows must be"),
    ],
)
def test_rows_that_are_not_there_are_refused(rows: Any, error: type[Exception], words: str, pages: dr.Table) -> None:
    with pytest.raises(error, match=words):
        pages.take(rows)
    with pytest.raises(ValueError, match="axis is 1"):
        pages.take([0], axis=1)
