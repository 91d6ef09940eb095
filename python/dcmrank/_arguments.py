"""Checks of arguments, each of which names the argument in one line."""

from __future__ import annotations

import operator
import os
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

MOST_STEPS = 10**12
MOST_RUNS = 10**6
MOST_ITEMS = 10_000_000
MOST_JOBS = 1024


def whole(name: str, value: SupportsIndex, least: int, most: int) -> int:
    """A whole number of any integer type, but not a boolean."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be an integer, not a boolean")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}, not between {least} and {most}")
    return number


def seed_of(seed: SupportsIndex) -> int:
    return whole("seed", seed, 0, 2**64 - 1)


def threads_of(n_jobs: SupportsIndex | None) -> int:
    """How many threads ``n_jobs`` asks for, by joblib's rule; 0 is one for each core."""
    if n_jobs is None:
        return 0
    jobs = whole("n_jobs", n_jobs, -MOST_JOBS, MOST_JOBS)
    if jobs == 0:
        raise ValueError("n_jobs is 0; -1 is all cores")
    cores = len(os.sched_getaffinity(0))
    return jobs if jobs > 0 else max(1, cores + 1 + jobs)


def numbers(name: str, values: Any) -> NDArray[np.float64]:
    """One dimension of real numbers, none of them NaN."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost: fill it first")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} is not an array of one dimension") from None
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions, not one")
    if array.size == 0:
        raise ValueError(f"{name} is empty")
    if array.dtype.kind not in "iufb":
        raise TypeError(f"{name} must be numbers, not {array.dtype}")
    return array.astype(np.float64)


def text_of(name: str, value: object) -> str:
    """Text that the library can read: no half of a character."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} is {value!r}, which is not UTF-8") from None
    return value


def path_of(name: str, path: Any) -> str:
    """A path as a string; standard input and output have no name here."""
    try:
        text: str | bytes = os.fspath(path)
    except TypeError:
        raise TypeError(f"{name} must be a path, not {type(path).__name__}") from None
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if text in ("", "-") or "\0" in text:
        raise ValueError(f"{name} is {text!r}, not the name of a file")
    return text_of(name, text)
