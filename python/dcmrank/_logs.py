"""Click logs in files, and their counts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dcmrank import _core
from dcmrank._arguments import path_of, threads_of, whole
from dcmrank._checks import MOST
from dcmrank._frames import ArrowFrame, PandasFrame, frame_pages
from dcmrank._progress import Progress, reported
from dcmrank._tables import Table
from dcmrank._warnings import warn_caller

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class LogWarning(UserWarning):
    """Some lines of a log were not used, or were used although they are irregular.

    >>> import dcmrank as dr, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", dr.LogWarning)  # it is in model.report_ too
    ...     model = dr.CascadeModel().fit(dr.example_log())
    """


class Log:
    """A click log in one or several files, which :func:`read_log` makes.

    It holds names, not pages: a model reads the files, in parts and on all cores, and
    keeps no more of them than needed. Fitting keeps what the model counts.

    >>> import dcmrank as dr, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.tsv"
    >>> _ = path.write_text("shoes\\ta,b\\tb\\nshoes\\tb,a\\t\\n")
    >>> log = dr.read_log(path, format="tsv")
    >>> len(log.to_pandas())
    2
    """

    def __init__(
        self, paths: tuple[str, ...], format: str | None, columns: dict[str, str], strict: bool
    ) -> None:
        self.paths = paths
        self.format = format
        self.columns = columns
        self.strict = strict
        self._once: _core.Pages | None = None
        pages = self._open()
        self.found: list[str] = pages.found()
        """What was detected in the files, one line each."""
        if not pages.can_read_again():  # a pipe, whose start is gone
            self._once = pages

    def _open(self) -> _core.Pages:
        if self._once is not None:
            pages, self._once = self._once, None
            return pages
        columns = ",".join(f"{role}={name}" for role, name in self.columns.items())
        return _core.open_files(list(self.paths), self.format, columns, self.strict)

    def read(self, *, n_jobs: int | None = None, progress: Progress = None) -> Table:
        """All pages, in memory: query, items, clicks and, if the format has them, session.

        Sessions are numbers that stand for the log's own: equal if those are equal.

        >>> import dcmrank as dr, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.tsv"
        >>> _ = path.write_text("shoes\\ta,b\\tb\\n")
        >>> print(dr.read_log(path, format="tsv").read())
        query  items   clicks
        shoes  [a, b]  [0, 1]
        """
        pages = self._open()
        with reported(progress, pages.size(), "read") as bar:
            table, skips = _core.read_pages(pages, threads_of(n_jobs), bar)
        warn_of_skips(skips)
        return Table(table)

    def to_pandas(self) -> pandas.DataFrame:
        """All pages as a pandas data frame."""
        return self.read().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """All pages as a polars data frame."""
        return self.read().to_polars()

    def to_arrow(self) -> pyarrow.Table:
        """All pages as a pyarrow table."""
        return self.read().to_arrow()

    def __array__(self, *_: object, **__: object) -> Any:
        raise TypeError(
            "a log is read from its files and has no rows to choose from: use log.read(), its pages"
        )

    def __repr__(self) -> str:
        words = [*map(repr, self.paths)]
        words += [f"format={self.format!r}"] if self.format is not None else []
        words += [f"columns={self.columns!r}"] if self.columns else []
        return f"read_log({', '.join(words)})"


class Counts:
    """What models need of a log, or of a part of one; :func:`count` makes it.

    Counts add: those of the parts of a log add up to exactly those of the whole. What only one of two
    parts holds (``count(models=...)``), their sum does not.

    >>> import dcmrank as dr
    >>> monday, tuesday = dr.example_log(seed=1), dr.example_log(seed=2)
    >>> counts = dr.count(monday) + dr.count(tuesday)
    >>> dr.DependentClickModel().fit(counts).report_["impressions"]
    2000
    """

    def __init__(self, core: _core.CountedLog) -> None:
        self._core = core

    def __add__(self, other: object) -> Counts:
        if isinstance(other, int) and other == 0:  # sum() begins with it
            return self
        if not isinstance(other, Counts):
            return NotImplemented
        return Counts(self._core + other._core)

    __radd__ = __add__

    @property
    def queries(self) -> int:
        """How many queries were counted."""
        return self._core.queries()

    @property
    def items(self) -> int:
        """How many items, each in its query."""
        return self._core.items()

    @property
    def models(self) -> list[str]:
        """The models that can be fitted to them by every method that they have.

        >>> import dcmrank as dr
        >>> dr.count(dr.example_log()).models
        ['cascade', 'dctr']
        >>> dr.count(dr.example_log(), models=["dbn"]).models
        ['dcm', 'cascade', 'dctr', 'sdbn', 'dbn', 'ccm']
        """
        return self._core.models()

    @property
    def report(self) -> dict[str, Any]:
        """What was found in reading: lines, impressions, clicks, what was skipped."""
        report: dict[str, Any] = self._core.report()
        return report

    def save(self, path: Path) -> None:
        """Writes the file that ``dcmrank count`` writes; ``dcmrank.load`` reads it."""
        _core.write_file(path_of("path", path), self._core.text())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return self._core.text() == other._core.text()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        pages = self.report["impressions"]
        return f"<counts of {pages} pages: {self.queries} queries, {self.items} items>"


Pages = Log | ArrowFrame | PandasFrame
Data = Pages | Counts


def read_log(
    path: Path | Sequence[Path],
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    strict: bool = False,
) -> Log:
    """A click log in a file, plain or compressed (gzip, Zstandard, xz, bzip2), or several, in order.

    The format is detected, or given by ``format``: ``"csv"`` (any table of text
    with a header), ``"tsv"``, ``"jsonl"``, ``"yandex2011"`` or ``"yandex2014"``. Columns are found
    by their usual names; ``columns`` says which hold what: ``query``, ``items``, ``clicks`` and, with one
    row per item, ``position``, ``page`` or ``session``. The log's ``found`` says what was detected.
    Only the start is read at first. Malformed lines are skipped, with a warning; ``strict`` refuses the
    first.

    >>> import dcmrank as dr, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = path.write_text("q,docs,clicked\\nshoes,a b c,b\\nshoes,b a c,\\n")
    >>> log = dr.read_log(path, columns={"query": "q", "items": "docs", "clicks": "clicked"})
    >>> model = dr.DependentClickModel().fit(log)
    >>> model.report_["impressions"]
    2
    """
    single = isinstance(path, str | bytes | os.PathLike)
    paths = [path] if single else list(path)  # type: ignore[arg-type]
    if not paths:
        raise ValueError("path is empty: no file is named")
    if format is not None and not isinstance(format, str):
        raise TypeError(f"format is {format!r}, not one of {', '.join(_core.log_formats())}")
    named = columns_of(columns)
    return Log(tuple(path_of("path", each) for each in paths), format, named, bool(strict))


def columns_of(columns: Mapping[str, str] | None) -> dict[str, str]:
    """Checks what a user says about columns."""
    named = dict(columns or {})
    for role, name in named.items():
        if not isinstance(role, str) or not isinstance(name, str):
            raise TypeError(f"columns has {role!r}: {name!r}; names are texts")
        if "," in name:
            raise ValueError(f"columns has {name!r}: a name with a comma cannot be given")
    return named


def count(
    data: Path | Sequence[Path] | Pages,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    strict: bool = False,
    models: str | Sequence[str] = (),
    max_tails: int = 2_000_000,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Counts:
    """Counts the clicks of a log: a file (read as by ``read_log``), several, a log or a frame.

    ``models`` names those whose EM the counts shall be enough for, as in ``["dcm", "ubm"]``, or is
    ``"all"``; without it they are enough for models that are counted, and small. A log of which more than
    ``max_tails`` distinct tails (the items below a last click) would have to be kept is refused.

    >>> import dcmrank as dr
    >>> log = dr.example_log(pages=1000)
    >>> counts = dr.count(log) + dr.count(log)
    >>> counts.report["impressions"]
    2000
    """
    if isinstance(data, str | bytes | os.PathLike | list | tuple):
        data = read_log(data, format=format, columns=columns, strict=strict)
    elif format is not None or columns is not None:
        given = "columns" if format is None else "format"
        raise TypeError(f"{given} is given, but data is not a file")
    named = models_of(models)
    most = whole("max_tails", max_tails, 1, MOST)
    pages = pages_of(data)
    with reported(progress, pages.size(), "count") as bar:
        counted = _core.count_pages(pages, named, most, threads_of(n_jobs), bar)
    warn_of_skips(counted.skips())
    return Counts(counted)


def models_of(models: str | Sequence[str]) -> list[str]:
    """The names of models that counts shall be enough for."""
    known = _core.click_models()
    if isinstance(models, str):
        if models != "all":
            raise TypeError(f"models is {models!r}: give a list of names, or 'all'")
        return known
    for name in models:
        if name not in known:
            raise ValueError(f"models has {name!r}; there are {', '.join(known)}")
    return list(models)


def pages_of(data: Any, *, clicks: bool = True) -> _core.Pages:
    """What there is to read; a frame needs its ``clicks`` only if they are asked for."""
    if isinstance(data, Log):
        return data._open()
    if isinstance(data, Counts):
        raise TypeError("data are counts, which have no pages: give a log or a data frame")
    return frame_pages(data, clicks)


def warn_of_skips(skips: list[Any]) -> None:
    """Says in one warning what a strict reader would have stopped at, with the first of each."""
    if not skips:
        return
    words = [
        f"{'tolerated' if used else 'skipped'} {number}, the first {first}"
        for number, used, first in skips
    ]
    warn_caller("; ".join(words), LogWarning)
