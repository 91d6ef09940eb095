"""What several tests are given."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dcmrank as dr
from cases import COMMAND, PROBLEMS

os.environ.setdefault("MPLBACKEND", "agg")
# Where the tests run in the background, Ctrl-C is ignored, by what they start, too: those of Ctrl-C would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def small() -> dr.Dcm:
    return dr.Dcm(attraction=[0.6, 0.5, 0.4, 0.1], termination=[0.5, 0.1])


@pytest.fixture(params=PROBLEMS)
def any_problem(request: pytest.FixtureRequest) -> dr.Problem:
    return dr.problem(PROBLEMS[request.param])


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., Any]:
    """Runs the command and gives its JSON."""

    def run(*arguments: object) -> Any:
        out = tmp_path / "command.json"
        subprocess.run([COMMAND, *map(str, arguments), "--json", out], check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        return json.loads(out.read_text())

    return run
