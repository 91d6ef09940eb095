"""Data frames on their way in: what models are fitted to and scored on."""

from __future__ import annotations

import itertools
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from dcmrank import _core


_WANTED = (
    "a data frame with columns query, items and clicks, a log (dcmrank.read_log) or counts "
    "(dcmrank.count)"
)


@runtime_checkable
class ArrowFrame(Protocol):
    """A data frame of any library that knows Arrow: pyarrow, polars, duckdb, pandas, a Table."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class PandasFrame(Protocol):
    """A data frame of pandas, which need not have pyarrow."""

    @property
    def columns(self) -> Any: ...

    def __getitem__(self, name: Any) -> Any: ...


def frame_pages(data: object, clicks: bool) -> _core.Pages:
    """The pages of a data frame; without ``clicks`` that column is ignored."""
    if _is_pandas(data):
        return _pandas_pages(data, clicks)
    if isinstance(data, ArrowFrame):
        return _core.open_stream(data.__arrow_c_stream__(), clicks)
    if isinstance(data, str | bytes) or hasattr(data, "__fspath__"):
        raise TypeError(f"data is {data!r}: read a file with dcmrank.read_log(path, format=...)")
    raise TypeError(f"data is a {type(data).__name__}, not {_WANTED}")


def _is_pandas(data: object) -> bool:
    kind = type(data)
    return any(
        base.__module__.partition(".")[0] == "pandas" and base.__name__ == "DataFrame"
        for base in kind.__mro__
    )


def _pandas_pages(frame: Any, with_clicks: bool) -> _core.Pages:
    """By its plain columns; those that are Arrow's already, by Arrow."""
    columns = ["query", "items", "clicks"] if with_clicks else ["query", "items"]
    for name in columns:
        found = list(frame.columns).count(name)
        if found == 0:
            needed = "query, items and clicks" if with_clicks else "query and items"
            raise ValueError(f"the frame has no column {name} (it needs {needed})")
        if found > 1:
            raise ValueError(f"the frame has two columns {name}")
    if len(frame) == 0:
        raise ValueError("the frame has no rows")
    has_session = "session" in frame.columns
    wanted = [*columns, "session"] if has_session else columns
    if type(frame["items"].dtype).__name__ == "ArrowDtype":
        return _core.open_stream(frame[wanted].__arrow_c_stream__(), with_clicks)
    items, item_ends = _flat("items", frame["items"])
    clicks, click_ends = _flat("clicks", frame["clicks"]) if with_clicks else (None, None)
    return _core.open_columns(
        query=_values("query", frame["query"]),
        item_ends=item_ends,
        items=items,
        click_ends=click_ends,
        clicks=clicks,
        session=_values("session", frame["session"]) if has_session else None,
    )


def _values(name: str, column: Any) -> npt.NDArray[Any] | list[Any]:
    """A column of ids: whole numbers as they are, all else as objects."""
    array = column.to_numpy()
    if array.dtype.kind == "f" and np.isnan(array).any():  # integers that miss some are floats
        raise ValueError(f"{name}: row {np.flatnonzero(np.isnan(array))[0]} has NaN")
    return _plain(name, array, booleans=False)


def _plain(name: str, array: npt.NDArray[Any], booleans: bool) -> npt.NDArray[Any] | list[Any]:
    if array.dtype.kind in ("iub" if booleans else "iu"):
        native = array.dtype.newbyteorder("=")
        return np.ascontiguousarray(array, dtype=native)
    if array.dtype.kind not in "OUf":
        wanted = "flags (booleans or integers)" if booleans else "ids (strings or integers)"
        raise TypeError(f"{name}: it holds {array.dtype}, not {wanted}")
    objects: list[Any] = array.tolist()
    return objects


def _flat(
    name: str, column: Any
) -> tuple[npt.NDArray[Any] | list[Any], npt.NDArray[np.int64]]:
    """The entries of a column of lists, and where each list ends."""
    lists = column.to_numpy(dtype=object)
    kinds = set(map(type, lists))
    for kind in kinds - {list, tuple, np.ndarray}:
        row = next(row for row, value in enumerate(lists) if type(value) is kind)
        _refuse_list(name, row, lists[row])
    if np.ndarray in kinds and not {value.ndim for value in lists if type(value) is np.ndarray} <= {1}:
        arrays = ((row, value) for row, value in enumerate(lists) if type(value) is np.ndarray)
        row, value = next((row, value) for row, value in arrays if value.ndim != 1)
        raise ValueError(f"{name}: row {row} has {value.ndim} dimensions, not one")
    ends = np.cumsum(np.fromiter(map(len, lists), dtype=np.int64, count=len(lists)))
    if kinds == {np.ndarray} and len({value.dtype for value in lists}) == 1:
        return _plain(name, np.concatenate(lists), booleans=name == "clicks"), ends
    return list(itertools.chain.from_iterable(lists)), ends


def _refuse_list(name: str, row: int, value: object) -> None:
    missing = value is None or value != value or type(value).__name__ == "NAType"
    if missing:
        raise ValueError(f"{name}: row {row} is missing")
    raise TypeError(f"{name}: row {row} is a {type(value).__name__}, not a list")
