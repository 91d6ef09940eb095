"""Data frames in: every type that makes sense gives the same model, all others a clear line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dcmrank as dr

# Ids that are texts of whole numbers, so that they may be either.
QUERIES = [1, 2, 1, 1, 2, 1]
ITEMS = [[10, 20, 30], [20, 10, 40], [30, 20, 10], [10, 40, 20], [40, 10, 30], [20, 30, 40]]
CLICKS = [[1, 0, 0], [0, 0, 0], [0, 1, 1], [1, 0, 1], [0, 1, 0], [0, 0, 1]]


def reference() -> dr.Table:
    return fitted(pa.table({"query": QUERIES, "items": ITEMS, "clicks": CLICKS}))


def fitted(frame: Any) -> dr.Table:
    return dr.DependentClickModel(method="em").fit(frame).attraction_


def texts(lists: list[list[int]]) -> list[list[str]]:
    return [[str(item) for item in items] for items in lists]


INTEGERS = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(),
            pa.uint64()]  # fmt: skip
STRINGS = [pa.string(), pa.large_string(), pa.string_view()]
LISTS: list[Callable[[Any], Any]] = [
    pa.list_, pa.large_list, lambda kind: pa.list_(kind, 3), pa.list_view, pa.large_list_view
]  # fmt: skip


@pytest.mark.parametrize("kind", [*INTEGERS, pa.bool_()], ids=str)
@pytest.mark.parametrize("lists", LISTS)
def test_flags_may_be_of_any_integer_type_or_boolean(kind: Any, lists: Callable[[Any], Any]) -> None:
    values = [[bool(c) for c in row] for row in CLICKS] if pa.types.is_boolean(kind) else CLICKS
    clicks = pa.array(values, lists(kind))
    assert fitted(pa.table({"query": QUERIES, "items": ITEMS, "clicks": clicks})) == reference()


@pytest.mark.parametrize("kind", [*INTEGERS, *STRINGS], ids=str)
@pytest.mark.parametrize("lists", LISTS)
def test_ids_may_be_strings_or_integers(kind: Any, lists: Callable[[Any], Any]) -> None:
    text = kind in STRINGS
    query = pa.array([str(q) for q in QUERIES] if text else QUERIES, kind)
    items = pa.array(texts(ITEMS) if text else ITEMS, lists(kind))
    assert fitted(pa.table({"query": query, "items": items, "clicks": CLICKS})) == reference()


def test_dictionaries_are_looked_up() -> None:
    query = pa.array([str(q) for q in QUERIES]).dictionary_encode()
    flat = pa.array([str(i) for items in ITEMS for i in items]).dictionary_encode()
    items = pa.ListArray.from_arrays(pa.array(range(0, 21, 3), pa.int32()), flat)
    assert fitted(pa.table({"query": query, "items": items, "clicks": CLICKS})) == reference()


@pytest.mark.parametrize("key", [-1, 2])
@pytest.mark.parametrize("column", ["query", "items"])
def test_a_key_that_its_dictionary_lacks_is_refused(column: str, key: int) -> None:
    keys = pa.DictionaryArray.from_arrays(pa.array([0, key], pa.int8()), pa.array(["a", "b"]), safe=False)
    lists = pa.array([["x"], ["y"]])
    frame = {"query": pa.array(["q", "r"]), "items": lists, "clicks": pa.array([[1], [0]])}
    frame[column] = keys if column == "query" else pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), keys)
    with pytest.raises(ValueError, match=f"^{column}: row 1 has the key {key} of a dictionary, which has 2 entries$"):
        fitted(pa.table(frame))


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_predictions_need_no_clicks(library: str) -> None:
    model = dr.CascadeModel().fit(dr.example_log(50))
    frame = getattr(dr.example_log(50), f"to_{library}")()
    without = frame.drop_columns(["clicks"]) if library == "arrow" else frame.drop(columns=["clicks"]) \
        if library == "pandas" else frame.drop("clicks")  # fmt: skip
    assert model.predict_clicks(without) == model.predict_clicks(frame)
    with pytest.raises(ValueError, match=r"the frame has no column clicks \(it needs query, items and clicks\)"):
        model.predict_conditional_clicks(without)
    with pytest.raises(ValueError, match="the frame has no column clicks"):
        model.score(without)
    nothing = without.rename(columns={"items": "things"}) if library == "pandas" else \
        without.rename({"items": "things"}) if library == "polars" else without.rename_columns(["query", "things"])  # fmt: skip
    with pytest.raises(ValueError, match=r"the frame has no column items \(it needs query and items\)"):
        model.predict_clicks(nothing)


def test_slices_and_chunks_are_the_rows_they_show() -> None:
    table = pa.table({"query": [9, *QUERIES, 9], "items": [[1], *ITEMS, [1]],
                      "clicks": [[True], *[[bool(c) for c in row] for row in CLICKS], [True]]})  # fmt: skip
    assert fitted(table.slice(1, 6)) == reference()
    chunks = [table.slice(n, 1) for n in range(1, 7)]
    assert fitted(pa.concat_tables(chunks)) == reference()
    assert fitted(pa.RecordBatchReader.from_batches(table.schema, table.slice(1, 6).to_batches())) \
        == reference()  # fmt: skip
    structs = pa.StructArray.from_arrays(
        [table[name].combine_chunks() for name in table.column_names], table.column_names
    )
    assert fitted(pa.RecordBatch.from_struct_array(structs.slice(1, 6))) == reference()


def test_other_columns_and_their_order_do_not_matter() -> None:
    table = pa.table({"clicks": CLICKS, "time": [None] * 6, "items": ITEMS, "query": QUERIES})
    assert fitted(table) == reference()


@pytest.mark.parametrize("categorical", [False, True])
def test_polars_is_read(categorical: bool) -> None:
    frame = pl.DataFrame({"query": [str(q) for q in QUERIES], "items": texts(ITEMS), "clicks": CLICKS})
    if categorical:
        frame = frame.with_columns(
            pl.col("query").cast(pl.Categorical), pl.col("items").cast(pl.List(pl.Categorical))
        )
    assert fitted(frame) == reference()
    assert fitted(pl.concat([frame[:2], frame[2:]], rechunk=False)) == reference()


def long_ids(ids: Any) -> Any:
    return [f"an item whose name is longer than twelve letters: {i}" for i in ids]


def test_long_strings_are_told_apart() -> None:
    items = [long_ids(row) for row in ITEMS]
    frames = [
        pa.table({"query": QUERIES, "items": pa.array(items, pa.list_(kind)), "clicks": CLICKS})
        for kind in STRINGS
    ]
    models = [fitted(frame) for frame in frames]
    assert models[0] == models[1] == models[2]
    assert models[0]["attraction"].tolist() == pytest.approx(reference()["attraction"].tolist())


def pandas_frame(items: Any = ITEMS, clicks: Any = CLICKS, query: Any = QUERIES) -> pd.DataFrame:
    frame = pd.DataFrame({"query": query})
    for name, column in (("items", items), ("clicks", clicks)):
        objects = np.empty(len(column), dtype=object)
        for row, value in enumerate(column):
            objects[row] = value
        frame[name] = objects
    return frame


@pytest.mark.parametrize(
    "frame",
    [
        pandas_frame(),
        pandas_frame(query=pd.Series(QUERIES).astype("category")),
        pandas_frame(query=[str(q) for q in QUERIES], items=texts(ITEMS)),
        pandas_frame(items=[tuple(i) for i in ITEMS], clicks=[tuple(map(bool, c)) for c in CLICKS]),
        pandas_frame(items=[np.array(i) for i in ITEMS], clicks=[np.array(c, bool) for c in CLICKS]),
        pandas_frame(items=[np.array(i, ">i4") for i in ITEMS], clicks=[np.array(c, "u1") for c in CLICKS]),
        pandas_frame(items=[np.array(i, str) for i in ITEMS], clicks=[list(map(np.bool_, c)) for c in CLICKS]),
        pandas_frame(items=[np.array(i, object) for i in ITEMS], clicks=[list(map(np.int8, c)) for c in CLICKS]),
        pandas_frame(items=[ITEMS[0], *[np.array(i) for i in ITEMS[1:]]]),
        pandas_frame().set_index(pd.Index(range(60, 0, -10))),
        pd.DataFrame(pa.table({"query": QUERIES, "items": ITEMS, "clicks": CLICKS})
                     .to_pandas(types_mapper=pd.ArrowDtype)),
        pa.table({"query": QUERIES, "items": ITEMS, "clicks": CLICKS}).to_pandas(),
    ],
)  # fmt: skip
def test_pandas_is_read_by_its_columns(frame: pd.DataFrame) -> None:
    assert fitted(frame) == reference()


def test_pandas_needs_no_pyarrow() -> None:
    program = """
import sys
sys.modules["pyarrow"] = None
sys.modules["polars"] = None
sys.modules["tqdm"] = None
sys.modules["sklearn"] = None
import dcmrank as dr
frame = dr.example_log(100).to_pandas()
model = dr.DependentClickModel(method="em").fit(frame)
assert model.score(frame) < 0 and len(model.attraction_.to_pandas()) == 16
try:
    model.attraction_.to_arrow()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "to_arrow() needs pyarrow: pip install pyarrow\n"


def test_a_result_is_a_frame_too() -> None:
    log = dr.example_log(200)
    assert fitted(log) == fitted(log.to_pandas()) == fitted(log.to_polars()) == fitted(log.to_arrow())


# ---- refusals


def arrow(query: Any = QUERIES, items: Any = ITEMS, clicks: Any = CLICKS, **more: Any) -> pa.Table:
    return pa.table({"query": query, "items": items, "clicks": clicks, **more})


def changed(rows: list[Any], row: int, value: Any) -> list[Any]:
    return [*rows[:row], value, *rows[row + 1 :]]


NAN = float("nan")


@pytest.mark.parametrize(
    ("frame", "error", "words"),
    [
        (arrow().drop(["query"]), ValueError, "the frame has no column query"),
        (arrow().drop(["items"]), ValueError, "the frame has no column items"),
        (pandas_frame().drop(columns="clicks"), ValueError, "the frame has no column clicks"),
        (arrow().slice(0, 0), ValueError, "the frame has no rows"),
        (pandas_frame()[:0], ValueError, "the frame has no rows"),
        (pl.DataFrame(arrow())[:0], ValueError, "the frame has no rows"),
        (arrow(clicks=changed(CLICKS, 2, [1, 0])), ValueError, "clicks: row 2 has 2 flags for 3 items"),
        (pandas_frame(clicks=changed(CLICKS, 2, [1])), ValueError, "clicks: row 2 has 1 flags for 3"),
        (arrow(clicks=changed(CLICKS, 3, [0, 2, 0])), ValueError, "clicks: row 3 has 2, which is not a flag"),
        (pandas_frame(clicks=changed(CLICKS, 3, [0, -1, 0])), ValueError, "clicks: row 3 has -1, which"),
        (pandas_frame(clicks=changed(CLICKS, 3, [0, 2**70, 0])), ValueError, "clicks: row 3 has a large"),
        (arrow(clicks=changed(CLICKS, 4, [0, None, 0])), ValueError, "clicks: row 4 has a missing value"),
        (arrow(clicks=changed(CLICKS, 4, None)), ValueError, "clicks: row 4 is missing"),
        (pandas_frame(clicks=changed(CLICKS, 4, [0, NAN, 0])), ValueError, "clicks: row 4 has NaN"),
        (pandas_frame(clicks=changed(CLICKS, 4, NAN)), ValueError, "clicks: row 4 is missing"),
        (pandas_frame(clicks=changed(CLICKS, 4, None)), ValueError, "clicks: row 4 is missing"),
        (pandas_frame(clicks=changed(CLICKS, 4, [0, pd.NA, 0])), ValueError, "clicks: row 4 has a missing"),
        (pandas_frame(clicks=changed(CLICKS, 4, [0, 1.0, 0])), TypeError, "clicks: row 4 has a float, not"),
        (pandas_frame(clicks=changed(CLICKS, 4, ["a", "b", "c"])), TypeError, "clicks: row 4 has a str"),
        (pandas_frame(clicks=changed(CLICKS, 4, "010")), TypeError, "clicks: row 4 is a str, not a list"),
        (pandas_frame(clicks=[0] * 6), TypeError, "clicks: row 0 is a int, not a list"),
        (pandas_frame(clicks=[np.zeros(3)] * 6), TypeError, "clicks: row 0 has a float, not a flag"),
        (pandas_frame(clicks=[np.zeros((3, 1))] * 6), ValueError, "clicks: row 0 has 2 dimensions"),
        (arrow(clicks=[[0.5, 0, 1]] * 6), TypeError, "clicks: it holds float64, not lists of flags"),
        (arrow(clicks=[[0.5, NAN, 1]] * 6), TypeError, "clicks: it holds float64, not lists of flags"),
        (arrow(clicks=[["a"] * 3] * 6), TypeError, "clicks: it holds strings, not lists of flags"),
        (arrow(clicks=[1] * 6), TypeError, "clicks: it holds .*, not lists, one per row"),
        (arrow(clicks=[None] * 6), TypeError, "clicks: it holds nulls, not lists"),
        (arrow(clicks=[[[1]] * 3] * 6), TypeError, "clicks: it holds lists, not lists of flags"),
        (arrow(items=changed(ITEMS, 1, [])), ValueError, "items: row 1 is an empty list"),
        (arrow(items=changed(ITEMS, 1, None)), ValueError, "items: row 1 is missing"),
        (arrow(items=changed(ITEMS, 1, [7, 8, 7])), ValueError, "items: row 1 has an item twice"),
        (arrow(items=changed(texts(ITEMS), 1, ["a", None, "b"])), ValueError, "items: row 1 has a missing"),
        (arrow(items=changed(texts(ITEMS), 1, ["a", "", "b"])), ValueError, "items: row 1 has an empty id"),
        (arrow(items=changed(texts(ITEMS), 1, ["a", "b\0", "c"])), ValueError, "items: row 1 .* a NUL"),
        (arrow(items=changed(texts(ITEMS), 1, ["a", "x" * 1025, "c"])), ValueError, "items: row 1 .*1024"),
        (arrow(items=changed(ITEMS, 1, list(range(257)))), ValueError, "items: row 1 has 257 items"),
        (arrow(items=[[1.5, 2.5, 3.5]] * 6), TypeError, "items: it holds float64, not ids"),
        (arrow(items=[[b"a", b"b", b"c"]] * 6), TypeError, "items: it holds binary, not ids"),
        (pandas_frame(items=changed(ITEMS, 5, [1, True, 3])), TypeError, "items: row 5 has a bool, not an id"),
        (pandas_frame(items=changed(ITEMS, 5, [1, None, 3])), ValueError, "items: row 5 has a missing value"),
        (pandas_frame(items=changed(ITEMS, 5, ["\ud800", "a", "b"])), ValueError, "items: row 5 .*UTF-8"),
        (pandas_frame(items=changed(ITEMS, 5, {1: 2})), TypeError, "items: row 5 is a dict, not a list"),
        (arrow(query=[1, 2, 1, None, 2, 1]), ValueError, "query: row 3 has a missing value"),
        (arrow(query=[0.5] * 6), TypeError, "query: it holds float64, not ids"),
        (arrow(query=[True] * 6), TypeError, "query: it holds booleans, not ids"),
        (pandas_frame(query=[1, 2, NAN, 1, 2, 1]), ValueError, "query: row 2 has NaN"),
        (pandas_frame(query=[1, 2, None, "a", 2, 1]), ValueError, "query: row 2 has a missing value"),
        (pandas_frame(query=[True] * 6), TypeError, "query: it holds bool, not ids"),
        (pandas_frame(query=pd.date_range("2026", periods=6)), TypeError, "query: it holds datetime64"),
        (arrow(session=[1, None, 2, 3, 4, 5]), ValueError, "session: row 1 has a missing value"),
        (pa.chunked_array([[1, 2]]), TypeError, "the stream is an array, not a frame"),
        (pd.Series([1, 2]), TypeError, "the stream is an array, not a frame"),
        ("log.tsv", TypeError, "data is 'log.tsv': read a file with dcmrank.read_log"),
        ({"query": QUERIES}, TypeError, "data is a dict, not a data frame"),
        (None, TypeError, "data is a NoneType, not a data frame"),
        (np.zeros((3, 3)), TypeError, "data is a ndarray, not a data frame"),
    ],
)  # fmt: skip
def test_what_is_no_page_is_refused_in_one_line(
    frame: Any, error: type[Exception], words: str
) -> None:
    model = dr.CascadeModel().fit(arrow())
    calls = [dr.CascadeModel().fit, model.score, model.predict_conditional_clicks]
    if "clicks" not in words:
        calls.append(model.predict_clicks)
    if not isinstance(frame, str):
        calls.append(dr.count)
    for call in calls:
        with pytest.raises(error, match=words) as raised:
            call(frame)
        assert "\n" not in str(raised.value)


def test_a_row_far_down_is_named_by_its_number() -> None:
    rows = 200_000
    clicks = [[0, 1]] * rows
    clicks[150_003] = [0]
    frame = pa.table({"query": [1] * rows, "items": [[1, 2]] * rows, "clicks": clicks})
    with pytest.raises(ValueError, match="clicks: row 150003 has 1 flags for 2 items"):
        dr.CascadeModel().fit(frame)


def test_a_stream_is_read_once() -> None:
    reader = pa.RecordBatchReader.from_batches(arrow().schema, arrow().to_batches())
    fitted(reader)
    with pytest.raises((ValueError, RuntimeError, OSError)) as raised:
        fitted(reader)
    assert "\n" not in str(raised.value)
