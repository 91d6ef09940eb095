"""Programs that start a cluster of their own, each with a time limit; what must be there for them."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest


def require(*packages: str, java: bool = False) -> None:
    """Leaves the test out where they are not installed; but CI leaves nothing out."""
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    has_java = "JAVA_HOME" in os.environ or shutil.which("java") is not None
    missing += ["java (Debian: default-jre-headless)"] if java and not has_java else []
    if not missing:
        return
    said = f"not installed: {', '.join(missing)}"
    if "CI" in os.environ:
        pytest.fail(f"{said}, and CI leaves nothing out")
    pytest.skip(said)


def run(program: str, folder: Path, *, seconds: int) -> None:
    """Runs tests/PROGRAM FOLDER. One that does not end in time is asked where it is, and then killed."""
    log = folder / "said"
    with open(log, "w") as said:
        child = subprocess.Popen(
            [sys.executable, Path(__file__).parent / program, folder],
            stdout=said, stderr=subprocess.STDOUT, cwd=folder, start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        )  # fmt: skip
        try:
            status: int | str = child.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = f"not finished in {seconds} s"
            os.killpg(child.pid, signal.SIGQUIT)  # Java and faulthandler print where their threads are
            try:
                child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                pass
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
    assert status == 0, f"{program}: {status}\n{log.read_text()[-20_000:]}"
