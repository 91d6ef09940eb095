"""What several tests are given."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import dcmrank as dr
from cases import COMMAND, PROBLEMS
from log_cases import MODELS, write_log
from serving import Raw, RawServer, Server

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


# ---- click models


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("logs")
    return {name: write_log(folder / name, name) for name in ("tsv", "yandex2011")}


@pytest.fixture(scope="session")
def pages() -> dr.Table:
    return dr.example_log(2000)


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> dr.ClickModel:
    return MODELS[request.param]()


# ---- the service and its client


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("service"))
    yield running
    running.kill()


@pytest.fixture
def shop(server: Server) -> Iterator[dr.Client]:
    with dr.Client(server.url, timeout=10) as client:
        yield client


@pytest.fixture
def query(request: pytest.FixtureRequest) -> str:
    return str(request.node.name)


@pytest.fixture
def raw() -> Iterator[Raw]:
    servers: list[RawServer] = []

    def make(behave: Callable[[socket.socket, int], None]) -> RawServer:
        servers.append(RawServer(behave))
        return servers[-1]

    yield make
    for server in servers:
        server.close()
