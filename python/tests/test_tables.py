"""Tables: the same values for numpy, pandas, polars and pyarrow."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
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
