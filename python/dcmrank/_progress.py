"""The progress of long work: a tqdm bar if it is installed, or whatever the caller wants."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Union

from dcmrank._optional import found

#: None: a bar in a terminal or a notebook, where tqdm is installed; True: a bar wherever it is
#: installed; False: nothing; a function: it is called with how much is done, and of how much.
Progress = Union[bool, None, Callable[[int, int], object]]

#: What bindings call: how much is done so far.
Report = Callable[[int], None]

DELAY = 0.5  # seconds; what takes less needs no bar


def somebody_looks() -> bool:
    """Whether standard error is a terminal, or this is a notebook."""
    if "ipykernel" in sys.modules:
        return True
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def reported(progress: Progress, total: int, label: str) -> Iterator[Report | None]:
    """The function to call with how much of ``total`` is done; None if nobody wants to know."""
    if callable(progress):
        tell = progress
        yield lambda done: void(tell(done, total))
        return
    if progress is not None and not isinstance(progress, bool):
        raise TypeError(f"progress must be True, False, None or a function, not {type(progress).__name__}")
    wanted = somebody_looks() if progress is None else progress
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm's about notebooks without widgets, when it is imported, too
        tqdm = found("tqdm.auto") if wanted else None
        bar = tqdm and tqdm.tqdm(total=total, desc=label, unit_scale=True, leave=False, delay=DELAY)
    if bar is None:
        yield None
        return
    try:
        yield lambda done: void(bar.update(done - bar.n))
    finally:
        bar.close()


def void(_: object) -> None:
    """Drops a value."""
