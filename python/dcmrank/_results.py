"""The results of a comparison, and ways to look at them."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcmrank import _core
from dcmrank._arguments import path_of, text_of
from dcmrank._optional import needed
from dcmrank._problems import Problem, wrapped

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from matplotlib.axes import Axes

AXES = {"linear": ("linear", "linear"), "logx": ("log", "linear"), "loglog": ("log", "log")}
LINES = ("-", "--", "-.", ":")
MARKS = ("o", "s", "^", "D", "v", "x", "P")
TEXT = "Regret of {runs} runs of {steps} steps, seed {seed}; L = {items}, K = {k}"


class Estimate(NamedTuple):
    """A mean over runs and its standard error, which is NaN for a single run."""

    mean: float
    stderr: float


class PolicyRuns:
    """What one policy did, over all runs."""

    def __init__(self, core: _core.PolicyResult) -> None:
        self._core = core

    @property
    def policy(self) -> str:
        """Its spelling, or the name of its class."""
        return self._core.policy

    @property
    def mean(self) -> float:
        """The regret at the end of a run, on average."""
        return self._core.mean

    @property
    def stderr(self) -> float:
        """The standard error of that mean; NaN for a single run."""
        return self._core.stderr

    @property
    def per_run(self) -> NDArray[np.float64]:
        """The regret at the end of each run."""
        return self._core.per_run

    @property
    def reward(self) -> float:
        """The sampled reward of a run, on average."""
        return self._core.reward

    @property
    def steps(self) -> NDArray[np.int64]:
        """The steps at which the curves below were recorded."""
        return self._core.steps

    @property
    def curve(self) -> NDArray[np.float64]:
        """The mean regret after each of the steps."""
        return self._core.curve_mean

    @property
    def curve_stderr(self) -> NDArray[np.float64]:
        """Its standard errors."""
        return self._core.curve_stderr

    @property
    def curve_per_run(self) -> NDArray[np.float64]:
        """One row per run; no columns if it comes from a file of the command, which has only the means."""
        return self._core.curve_per_run

    @property
    def ns_per_step(self) -> float:
        """Processor time."""
        return self._core.ns_per_step

    def __repr__(self) -> str:
        return f"PolicyRuns({self.policy!r}, mean={self.mean:.2f}, stderr={self.stderr:.2f})"


class Comparison(Mapping[str, PolicyRuns]):
    """Policies that met the same users, by name. Made by :func:`dcmrank.compare`.

    >>> import dcmrank as dr
    >>> problem = dr.Dcm(attraction=[.6, .5, .4, .1], termination=[.5, .1])
    >>> result = dr.compare(problem, ["dcm-kl-ucb", "dcm-ts"], steps=1000, runs=4, seed=1)
    >>> result["dcm-ts"].per_run.shape
    (4,)
    >>> result.difference("dcm-ts", "dcm-kl-ucb").mean < 0
    True
    """

    def __init__(self, core: _core.Comparison) -> None:
        self._core = core
        self._runs = {result.policy: PolicyRuns(result) for result in core.results}

    @property
    def problem(self) -> Problem:
        return wrapped(self._core.problem)

    @property
    def steps(self) -> int:
        return self._core.options.steps

    @property
    def runs(self) -> int:
        return self._core.options.runs

    @property
    def seed(self) -> int:
        return self._core.options.seed

    def __getitem__(self, policy: str) -> PolicyRuns:
        try:
            return self._runs[policy]
        except KeyError:
            raise KeyError(f"{policy!r} is not one of {', '.join(self._runs)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comparison) and self._timeless() == other._timeless()

    __hash__ = None  # type: ignore[assignment]

    def difference(self, a: str, b: str) -> Estimate:
        """The regret of ``a`` minus that of ``b``, run by run: both met the same users, so the error is
        that of the differences."""
        return Estimate(*_core.paired_difference(self[a].per_run.tolist(), self[b].per_run.tolist()))

    # ---- looked at

    def _heading(self) -> str:
        size = self._core.problem
        return TEXT.format(
            runs=self.runs, steps=self.steps, seed=self.seed, items=size.items, k=size.k
        )

    def __repr__(self) -> str:
        rows = self._core.rows()
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        ]
        note = self._core.best_list_text()
        return "\n".join([self._heading(), *([note] if note else []), "", *lines])

    def _repr_html_(self) -> str:
        heading, *rows = self._core.rows()

        def line(cells: list[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

        note = ". ".join(filter(None, [self._heading(), self._core.best_list_text()]))
        return (
            f"<table><caption>{html.escape(note)}</caption>"
            f"<thead>{line(heading, 'th')}</thead>"
            f"<tbody>{''.join(line(row, 'td') for row in rows)}</tbody></table>"
        )

    def plot(self, ax: Axes | None = None, *, axes: str = "linear") -> Axes:
        """The regret by step: means, and bands of one standard error. ``axes`` is ``"linear"``,
        ``"logx"`` or ``"loglog"``. Lines differ in style and marks, not in colour alone.

        >>> import matplotlib; matplotlib.use("agg")
        >>> import dcmrank as dr
        >>> problem = dr.Dcm(attraction=[.6, .5, .4, .1], termination=[.5, .1])
        >>> dr.compare(problem, ["dcm-ts"], steps=100, runs=2, seed=1).plot().get_xlabel()
        'step n'
        """
        if axes not in AXES:
            raise ValueError(f"axes is {axes!r}, not one of {', '.join(AXES)}")
        if ax is None:
            ax = needed("matplotlib.pyplot", "plot()").subplots()[1]
        assert ax is not None
        for n, runs in enumerate(self.values()):
            draw(ax, runs, LINES[n % len(LINES)], MARKS[n % len(MARKS)])
        ax.set_xscale(AXES[axes][0])
        ax.set_yscale(AXES[axes][1])
        ax.set_xlabel("step n")
        ax.set_ylabel("cumulative regret (mean ± standard error)")
        ax.legend()
        return ax

    # ---- as a frame

    def _columns(self) -> dict[str, NDArray[Any]]:
        """policy, run, step, regret: one row per policy, run and step of its curve."""
        parts = [columns_of(runs) for runs in self.values()]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame of policy, run, step and regret.

        >>> import dcmrank as dr
        >>> problem = dr.Dcm(attraction=[.6, .5, .4, .1], termination=[.5, .1])
        >>> frame = dr.compare(problem, ["dcm-ts"], steps=100, runs=2, seed=1).to_pandas()
        >>> list(frame.columns), int(frame.step.max())
        (['policy', 'run', 'step', 'regret'], 100)
        """
        frame: pandas.DataFrame = needed("pandas", "to_pandas()").DataFrame(self._columns())
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """The same as an Arrow table."""
        table: pyarrow.Table = needed("pyarrow", "to_arrow()").table(self._columns())
        return table

    def to_polars(self) -> polars.DataFrame:
        """The same as a data frame of polars."""
        frame: polars.DataFrame = needed("polars", "to_polars()").DataFrame(self._columns())
        return frame

    # ---- kept

    def _timeless(self) -> Any:
        """All but the time it took, the only thing that differs when the same is computed again."""
        result = json.loads(self.to_json())
        for policy in result["policies"]:
            del policy["ns_per_step"]
        return result

    def to_json(self) -> str:
        """The command's own format, ``dcmrank.simulation`` (docs/formats.md)."""
        return self._core.to_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes :meth:`to_json`. The file appears whole or not at all."""
        _core.write_file(path_of("path", path), self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Comparison:
        """What :meth:`save`, or ``dcmrank simulate --json``, wrote.

        >>> import dcmrank as dr, tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "result.json"
        >>> problem = dr.Dcm(attraction=[.6, .5, .4, .1], termination=[.5, .1])
        >>> result = dr.compare(problem, ["dcm-ts"], steps=100, runs=2, seed=1)
        >>> result.save(file)
        >>> dr.Comparison.load(file) == result
        True
        """
        name = path_of("path", path)
        return cls.from_json(_core.read_file(name), name)

    @classmethod
    def from_json(cls, text: str, source: str = "result") -> Comparison:
        """The inverse of :meth:`to_json`; ``source`` is what messages call it."""
        return cls(_core.load_comparison(text_of("text", text), text_of("source", source)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Comparison.from_json, (self.to_json(),)


def columns_of(runs: PolicyRuns) -> dict[str, NDArray[Any]]:
    curves, steps = runs.curve_per_run, runs.steps
    if curves.shape[1] == 0:  # the command's file has only the end of each run
        curves, steps = runs.per_run[:, np.newaxis], steps[-1:]
    count = len(curves)
    return {
        "policy": np.full(curves.size, runs.policy, dtype=object),
        "run": np.repeat(np.arange(count), len(steps)),
        "step": np.tile(steps, count),
        "regret": curves.ravel(),
    }


def draw(ax: Axes, runs: PolicyRuns, line: str, mark: str) -> None:
    steps, mean = runs.steps, runs.curve
    (drawn,) = ax.plot(
        steps, mean, line, marker=mark, markevery=max(1, len(steps) // 8), markersize=5,
        label=runs.policy,
    )
    if runs.per_run.size > 1:
        error = runs.curve_stderr
        ax.fill_between(steps, mean - error, mean + error, color=drawn.get_color(), alpha=0.2, lw=0)
