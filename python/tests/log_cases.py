"""Logs, models and frames that tests of models are given."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dcmrank as dr
from cases import COMMAND

MODELS: dict[str, Callable[..., dr.ClickModel]] = {
    "dcm": dr.DependentClickModel,
    "cascade": dr.CascadeModel,
    "dctr": dr.ClickThroughRate,
    "pbm": dr.PositionBasedModel,
    "ubm": dr.UserBrowsingModel,
    "dbn": dr.DynamicBayesianModel,
    "sdbn": dr.SimplifiedDBN,
    "ccm": dr.ClickChainModel,
}

#: Every model by every method that it has, and options beside.
FITS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("dcm", {}, []),
    ("dcm", {"method": "em"}, ["--method", "em"]),
    ("dcm", {"method": "em", "termination": "shared", "prior": (2, 3)},
     ["--method", "em", "--termination", "shared", "--prior", "2,3"]),
    ("cascade", {"top": 1}, ["--top", "1"]),
    ("dctr", {"prior": (0, 0)}, ["--prior", "0,0"]),
    ("pbm", {}, []),
    ("ubm", {"tolerance": 1e-7}, ["--tolerance", "1e-7"]),
    ("dbn", {"max_tails": 10}, ["--max-tails", "10"]),
    ("sdbn", {}, []),
    ("sdbn", {"method": "em"}, ["--method", "em"]),
    ("ccm", {"min_impressions": 300}, ["--min-impressions", "300"]),
]  # fmt: skip


def command(*arguments: object) -> None:
    """Runs the command; what it says on its outputs is of no interest."""
    subprocess.run([COMMAND, *map(str, arguments)], check=True, capture_output=True)


def write_log(path: Path, format: str, pages: int = 2000, seed: int = 1) -> Path:
    """A log of users of two kinds, written by the command."""
    model = path.with_suffix(".model")
    dr.UserBrowsingModel().fit(dr.example_log(500)).save(model)
    command("generate", "--model", model, "--impressions", pages, "--seed", seed, "--format",
            format, "--out", path)  # fmt: skip
    return path


def text_of(model: dr.ClickModel, path: Path) -> str:
    """The file of a model."""
    model.save(path)
    return path.read_text()
