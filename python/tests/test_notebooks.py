"""Every notebook runs from the top, and prints what it shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from notebooks import FOLDER, printed
from serving import command

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells_of(path: Path) -> list[Any]:
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def drawn(cell: Any) -> list[Any]:
    """Its pictures and tables."""
    return [output for output in cell["outputs"] if output["output_type"] != "stream"]


def test_there_is_one_for_each_audience() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["data_scientist", "engineer", "researcher"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_shows(path: Path, tmp_path: Path) -> None:
    out = tmp_path / path.name
    environment = {**os.environ, "DCMRANK_COMMAND": command()}
    environment.pop("MPLBACKEND", None)  # a notebook shows pictures
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("notebooks.py"), path, out],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    for shown, made in zip(cells_of(path), cells_of(out), strict=True):
        assert not any(output.get("name") == "stderr" for output in made["outputs"]), made["outputs"]
        assert printed(made) == printed(shown), "".join(made["source"])
        assert len(drawn(made)) == len(drawn(shown))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_a_notebook_shows_is_small_and_names_no_machine(path: Path) -> None:
    text = path.read_text()
    assert len(text) < 250_000
    assert not re.search("/(tmp|home|root)/", text)
