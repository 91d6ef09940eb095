"""The small tables that results are: for pandas, polars, pyarrow, or just numpy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dcmrank import _core
from dcmrank._optional import needed

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Table:
    """Columns of the same length, as results have them.

    ``table["name"]`` is a column as a numpy array (a column of lists: an array of arrays). Whatever
    takes ``__arrow_c_stream__`` (pyarrow, polars, duckdb, pandas) takes a table as it is, and
    :meth:`to_pandas`, :meth:`to_polars` and :meth:`to_arrow` do that for you.

    >>> import dcmrank as dr
    >>> frame = dr.example_log()
    >>> model = dr.CascadeModel().fit(frame)
    >>> table = model.attraction_
    >>> table.columns[:3]
    ['query', 'item', 'attraction']
    >>> len(table["attraction"]) == len(table)
    True
    """

    __slots__ = ("_core",)

    def __init__(self, core: _core.Table) -> None:
        self._core = core

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._core.names()

    def __len__(self) -> int:
        return self._core.rows()

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        if name not in self.columns:
            raise KeyError(f"the table has no column {name!r}: it has {', '.join(self.columns)}")
        entries = self._entries(name)
        if not self._core.has_lists(name):
            return entries
        ends = self._core.list_ends(name)
        lists: npt.NDArray[Any] = np.empty(len(self), dtype=np.object_)
        for row in range(len(self)):
            lists[row] = entries[ends[row] : ends[row + 1]]
        return lists

    def _entries(self, name: str) -> npt.NDArray[Any]:
        entries = self._core.entries(name)
        if self._core.is_text(name):
            texts: npt.NDArray[Any] = np.empty(len(entries), dtype=np.object_)
            texts[:] = entries
            return texts
        array: npt.NDArray[Any] = np.asarray(entries)
        return array.view(np.bool_) if self._core.is_flag(name) else array

    def flat(self, name: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        """The entries of a column of lists, one after the other, and where each list begins.

        >>> import dcmrank as dr
        >>> frame = dr.example_log()
        >>> entries, begins = dr.CascadeModel().fit(frame).predict_clicks(frame).flat("probability")
        >>> len(begins) == len(frame) + 1, int(begins[-1]) == len(entries)
        (True, True)
        """
        if name not in self.columns or not self._core.has_lists(name):
            raise KeyError(f"the table has no column of lists {name!r}")
        return self._entries(name), np.asarray(self._core.list_ends(name))

    def take(self, rows: npt.ArrayLike, axis: int = 0) -> Table:
        """Some rows, by their numbers or by a flag for each row, as :mod:`sklearn.model_selection` takes them.

        >>> import dcmrank as dr
        >>> log = dr.example_log(10)
        >>> len(log.take([0, -1])), len(log.iloc[2:5])
        (2, 3)
        """
        if axis != 0:
            raise ValueError(f"axis is {axis!r}: a table gives rows, whose axis is 0")
        chosen = np.asarray(rows)
        if chosen.dtype == np.bool_ and chosen.shape == (len(self),):
            chosen = np.flatnonzero(chosen)
        if chosen.ndim != 1 or (chosen.size > 0 and chosen.dtype.kind not in "iu"):
            raise TypeError("rows must be the numbers of rows, or a flag for each")
        outside = chosen[(chosen < -len(self)) | (chosen >= len(self))]
        if outside.size > 0:
            raise IndexError(f"there is no row {outside[0]}: the table has {len(self)}")
        numbers = np.where(chosen < 0, chosen + len(self), chosen).astype(np.int64)
        return Table(self._core.take(numbers))

    @property
    def iloc(self) -> Rows:
        """Rows by ``[...]``: a slice, a number, numbers, or flags."""
        return Rows(self)

    def to_numpy(self) -> dict[str, npt.NDArray[Any]]:
        """Every column as a numpy array."""
        return {name: self[name] for name in self.columns}

    def to_pandas(self) -> pandas.DataFrame:
        """As a pandas data frame; needs pandas, not pyarrow."""
        frame: pandas.DataFrame = needed("pandas", "to_pandas()").DataFrame(self.to_numpy())
        return frame

    def to_polars(self) -> polars.DataFrame:
        """As a polars data frame."""
        frame: polars.DataFrame = needed("polars", "to_polars()").DataFrame(self)
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """As a pyarrow table."""
        table: pyarrow.Table = needed("pyarrow", "to_arrow()").table(self)
        return table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._core.stream()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return bool(self._core.__getstate__() == other._core.__getstate__())

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self._core,)

    def __repr__(self) -> str:
        shown = 10
        rows = [self.columns]
        columns = [self[name][:shown] for name in self.columns]
        for row in range(min(shown, len(self))):
            rows.append([_text(column[row]) for column in columns])
        widths = [max(len(row[c]) for row in rows) for c in range(len(self.columns))]
        lines = ["  ".join(t.ljust(w) for t, w in zip(row, widths)).rstrip() for row in rows]
        if len(self) > shown:
            lines.append(f"... {len(self)} rows")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{_escaped(name)}</th>" for name in self.columns)
        shown = 20
        columns = [self[name][:shown] for name in self.columns]
        body = "".join(
            "<tr>" + "".join(f"<td>{_escaped(_text(c[row]))}</td>" for c in columns) + "</tr>"
            for row in range(min(shown, len(self)))
        )
        more = f"<p>{len(self)} rows</p>" if len(self) > shown else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


class Rows:
    """What ``table.iloc`` is."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __getitem__(self, rows: Any) -> Table:
        if isinstance(rows, slice):
            rows = np.arange(len(self._table))[rows]
        return self._table.take(np.atleast_1d(rows))


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        entries = [_text(entry) for entry in value[:10]]
        return "[" + ", ".join(entries) + (", ...]" if len(value) > 10 else "]")
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{value:.6g}"
    if isinstance(value, np.bool_):
        return str(int(value))
    return str(value)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
