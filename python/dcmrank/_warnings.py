"""Warnings that point to the user's line."""

from __future__ import annotations

import sys
import warnings


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warns at the first line outside this package that led here."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("dcmrank."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
