"""Packages that are used if they are installed."""

from __future__ import annotations

import importlib
from typing import Any


def needed(package: str, by: str) -> Any:
    """The package; if it is missing, one line says what to install."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as missing:
        top = package.partition(".")[0]
        if missing.name is None or missing.name.partition(".")[0] != top:
            raise
        raise ModuleNotFoundError(f"{by} needs {top}: pip install {top}", name=top) from None


def found(package: str) -> Any | None:
    """The package, or None."""
    try:
        return importlib.import_module(package)
    except ImportError:
        return None
