"""Random frames, types and files at every entry: a result, or one clear line; never a crash."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from log_cases import MODELS

import dcmrank as dr

quick = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.integers(), st.floats(), st.text(max_size=3),
    st.binary(max_size=3), st.just(pd.NA), st.just(np.float32("nan")), st.just(np.int8(1)),
    st.just(np.bool_(True)), st.just(object()),
)  # fmt: skip
rows = st.one_of(
    scalars,
    st.lists(scalars, max_size=4),
    st.tuples(scalars, scalars),
    st.lists(st.integers(0, 1), max_size=4),
    st.lists(st.integers(0, 1), max_size=4).map(np.array),
    st.lists(st.text(max_size=2), max_size=4).map(np.array),
)


def column(values: list[Any]) -> pd.Series[Any]:
    objects = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        objects[row] = value
    return pd.Series(objects)


def attempt(call: Any, *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except (ValueError, TypeError) as error:
        assert str(error) and "\n" not in str(error)
        return None


def use(frame: Any) -> None:
    """Every entry that takes pages."""
    model = dr.CascadeModel(progress=False).fit(dr.example_log(20))
    for call in (dr.DependentClickModel(method="em").fit, dr.count, model.score, model.predict_clicks):
        attempt(call, frame)


@quick
@given(st.lists(st.tuples(scalars, rows, rows), max_size=4))
def test_pandas_of_anything(data: list[tuple[Any, Any, Any]]) -> None:
    query, items, clicks = zip(*data) if data else ((), (), ())
    use(pd.DataFrame({"query": column(list(query)), "items": column(list(items)),
                      "clicks": column(list(clicks))}))  # fmt: skip


kinds = st.sampled_from(
    [pa.int8(), pa.uint64(), pa.bool_(), pa.float32(), pa.float64(), pa.string(), pa.large_string(),
     pa.string_view(), pa.binary(), pa.null(), pa.date32(), pa.decimal128(5, 2), pa.timestamp("s"),
     pa.dictionary(pa.int8(), pa.string()), pa.struct([("a", pa.int8())])]
)  # fmt: skip
shapes = st.sampled_from(["plain", "list", "large", "fixed", "view", "twice"])


def typed(kind: Any, shape: str) -> Any:
    return {"plain": lambda: kind, "list": lambda: pa.list_(kind), "large": lambda: pa.large_list(kind),
            "fixed": lambda: pa.list_(kind, 2), "view": lambda: pa.list_view(kind),
            "twice": lambda: pa.list_(pa.list_(kind))}[shape]()  # fmt: skip


def array(draw: st.DataObject, kind: Any, shape: str, rows: int) -> pa.Array | None:
    value = {"plain": st.one_of(st.none(), st.integers(0, 1)),
             "twice": st.just([[0], [1]])}.get(shape, st.one_of(
                 st.none(), st.lists(st.integers(0, 2), min_size=0, max_size=3), st.just([0, 1])))  # fmt: skip
    values = draw.draw(st.lists(value, min_size=rows, max_size=rows))
    try:
        flat = pa.array(values, typed(pa.int8(), shape))
        return flat.cast(typed(kind, shape))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError):
        return pa.nulls(rows, typed(kind, shape))


@quick
@given(st.data(), st.integers(0, 5), st.lists(st.tuples(kinds, shapes), min_size=3, max_size=4),
       st.integers(0, 2))  # fmt: skip
def test_arrow_of_any_type(data: st.DataObject, rows: int, types: list[Any], cut: int) -> None:
    names = ["query", "items", "clicks", "session"]
    columns = {name: array(data, *kind, rows) for name, kind in zip(names, types)}
    use(pa.table(columns).slice(cut))


@quick
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=6, unique_by=lambda x: x[0]),
        min_size=1, max_size=30,
    ),
    st.sampled_from(sorted(MODELS)),
)  # fmt: skip
def test_every_way_in_gives_the_same_model(pages: list[list[tuple[int, bool]]], name: str) -> None:
    query = [len(page) % 3 for page in pages]
    items = [[item for item, _ in page] for page in pages]
    clicks = [[click for _, click in page] for page in pages]
    plain = pd.DataFrame({"query": query, "items": column(items), "clicks": column(clicks)})
    arrow = pa.table({"query": query, "items": items, "clicks": clicks})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.tsv"
        path.write_text("".join(
            f"{q}\t{','.join(map(str, i))}\t{','.join(str(x) for x, c in zip(i, cs) if c)}\n"
            for q, i, cs in zip(query, items, clicks)))  # fmt: skip
        options = {"tolerance": 1e-4} if hasattr(MODELS[name](), "tolerance") else {}
        models = [
            MODELS[name](progress=False, **options).fit(data)
            for data in (plain, arrow, pl.DataFrame(arrow), dr.read_log(path, format="tsv"))
        ]
    assert all(model.attraction_ == models[0].attraction_ for model in models)
    assert all(model.score(arrow) == models[0].score(plain) for model in models)


@quick
@given(st.binary(max_size=200), st.sampled_from(["tsv", "yandex2011", "yandex2014"]))
def test_files_of_anything(content: bytes, format: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any"
        path.write_bytes(content)
        attempt(dr.load, path)
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dr.LogWarning)
            attempt(lambda: dr.count(dr.read_log(path, format=format)))
            attempt(lambda: dr.read_log(path, format=format).read())


@quick
@given(st.sampled_from(sorted(MODELS)), st.data())
def test_parameters_of_anything(name: str, data: st.DataObject) -> None:
    names = MODELS[name]().get_params()
    chosen = data.draw(st.sampled_from(sorted(set(names) - {"max_iterations", "progress"})))
    model = MODELS[name](**{chosen: data.draw(rows)})
    if isinstance(model.n_jobs, int):
        model.n_jobs = min(model.n_jobs, 2)  # not a thousand threads
    attempt(model.fit, dr.example_log(20))
