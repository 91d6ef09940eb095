"""Examples in docstrings run; types are checked as a user's type checker would."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dcmrank as dr


def documented() -> Iterator[tuple[str, Any]]:
    """The package, all that it exports, and the methods of its classes."""
    yield "dcmrank", dr
    for name in dr.__all__:
        value = getattr(dr, name)
        if not callable(value):
            continue
        if value is dr.Client:  # its examples need a service: test_client.py
            continue
        yield name, value
        for member, method in vars(value).items() if inspect.isclass(value) else ():
            if not member.startswith("_") and getattr(method, "__doc__", None):
                yield f"{name}.{member}", method


@pytest.mark.parametrize(("name", "value"), [pytest.param(*d, id=d[0]) for d in documented()])
def test_examples_of_docstrings_run(name: str, value: Any) -> None:
    text = inspect.getdoc(value) or ""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert result.failed == 0


def test_what_users_call_has_a_docstring_with_an_example() -> None:
    named_by_others = {"Bounds", "Estimate", "PolicyRuns"}  # what functions return
    for name in set(dr.__all__) - named_by_others - {"__version__"}:
        value = getattr(dr, name)
        assert ">>>" in (value.__doc__ or ""), name


def test_types_are_strict() -> None:
    tests = Path(__file__).parent
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tests.parents[1] / "build-python" / "mypy"),
         "--config-file", str(tests.parents[1] / "pyproject.toml"), "-p", "dcmrank"],
        capture_output=True, text=True, cwd=tests)  # fmt: skip
    assert checked.returncode == 0, checked.stdout


USER = """
import numpy as np
import dcmrank as dr
problem = dr.Dcm(attraction=[.6, .5, .4, .1], termination=np.array([.5, .1]))
result = dr.compare(problem, ["dcm-kl-ucb", "recommended"], steps=10, runs=2, seed=1)
reveal_type(result["recommended"].mean)
reveal_type(dr.bounds(problem, steps=10).theorem1)
policy = dr.policy("dcm-ts", items=4, k=2, seed=1)
users = dr.Users(problem, seed=1)
ranking = policy.rank()
reveal_type(users.visit(ranking))
policy.update(ranking, [True, False])
class Greedy(dr.Policy):
    def rank(self) -> list[int]:
        return [0, 1]
    def update(self, ranking: np.ndarray, clicks: np.ndarray) -> None: ...
dr.compare(problem, ["dcm-kl-ucb", Greedy], steps=10, runs=2)
dr.compare(problem, steps=10)
dr.policy(3)
"""


def test_a_user_s_type_checker_knows_the_package(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(USER)
    said = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir",
                           str(Path(__file__).parents[2] / "build-python" / "mypy"), program],
                          capture_output=True, text=True, cwd=tmp_path).stdout  # fmt: skip
    for fact in ('is "float"', 'is "float | None"', "numpy.bool", ":18: error", ":19: error",
                 "Found 2 errors"):  # fmt: skip
        assert fact in said, said
