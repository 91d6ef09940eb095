"""Checks of the arguments of models, each of which names the argument in one line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

MOST = 10**12


def real(name: str, value: Any, most: float) -> float:
    """A number from 0 to ``most``."""
    if isinstance(value, (bool, np.bool_, str, bytes)):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}") from None
    if not (math.isfinite(number) and 0 <= number <= most):
        raise ValueError(f"{name} is {number:g}, not between 0 and {most:g}")
    return number


def prior(value: Any) -> tuple[float, float]:
    """Pseudo-counts (A, B)."""
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)):
        raise TypeError(f"prior must be two numbers (A, B), not {type(value).__name__}")
    if np.ndim(value) != 1 or len(value) != 2:
        raise ValueError("prior is not two numbers (A, B)")
    return real("prior", value[0], 1e9), real("prior", value[1], 1e9)


def chosen(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {type(value).__name__}")
    if value not in choices:
        raise ValueError(f"{name} is {value!r}, not {' or '.join(map(repr, choices))}")
    return value
