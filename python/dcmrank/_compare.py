"""Policies on the same simulated users."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, SupportsIndex, Union

import numpy as np

from dcmrank import _core
from dcmrank._arguments import MOST_RUNS, MOST_STEPS, seed_of, text_of, threads_of, whole
from dcmrank._optional import found
from dcmrank._policies import is_policy
from dcmrank._problems import Problem, ProblemLike, problem as as_problem
from dcmrank._progress import Progress, Report, reported
from dcmrank._results import Comparison

MOST_DELAY = 10**6
WORTH_PROCESSES = 2.0  # seconds of Python; starting workers takes about one

#: A class, or any function, that makes a policy from (items, k, rng).
Factory = Callable[[int, int, np.random.Generator], Any]
PolicyLike = Union[str, Factory]


def compare(
    problem: ProblemLike,
    policies: PolicyLike | Iterable[PolicyLike] | Mapping[str, PolicyLike],
    *,
    steps: SupportsIndex = 100_000,
    runs: SupportsIndex = 20,
    seed: SupportsIndex = 1,
    n_jobs: SupportsIndex | None = None,
    progress: Progress = None,
    delay: SupportsIndex = 0,
    depth: str | int | None = None,
) -> Comparison:
    """Simulates every policy for ``runs`` runs of ``steps`` users, all on the same users.

    A policy is a name that the library knows (``dcmrank.policies()``), or a class of your own
    (:class:`dcmrank.Policy`), whose ``rank`` and ``update`` are called in every round; a mapping gives
    them other names. The same seed gives the same result for any ``n_jobs`` (default: all cores), and
    the same as ``dcmrank simulate``. Policies in Python are run by joblib if it is installed and pays; all
    policies are on a cluster that joblib is told to use (``joblib.parallel_config(backend="dask")``).

    ``delay`` is by how many rounds a policy learns late what a user did, ``depth`` how many positions are
    on the screen (``3``, or ``"2:0.3,5:0.7"``), like the command's options of these names.

    >>> import dcmrank as dr
    >>> hard = dr.problem("lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5")
    >>> result = dr.compare(hard, ["dcm-kl-ucb", "recommended"], steps=1000, runs=4, seed=1)
    >>> result["recommended"].mean < result["dcm-kl-ucb"].mean
    True
    """
    on = as_problem(problem)
    makers = named(policies)
    options = _core.ExperimentOptions(
        whole("steps", steps, 1, MOST_STEPS),
        whole("runs", runs, 1, MOST_RUNS),
        seed_of(seed),
        whole("delay", delay, 0, MOST_DELAY),
        depth_text(depth),
        on.k,
    )
    threads = threads_of(n_jobs)
    for name, maker in makers.items():
        if not isinstance(maker, str) and threads != 1 and options.runs > 1:
            check_can_be_sent(name, maker)
    native = {name: maker for name, maker in makers.items() if isinstance(maker, str)}
    _core.check_experiment(on, list(native.values()), options)
    total = len(makers) * options.runs * options.steps
    results: dict[str, _core.PolicyResult] = {}
    with reported(progress, total, "compare") as report:
        joblib = cluster() if threads != 1 else None
        if native and joblib is None:
            done = _core.compare(on, list(native.values()), options, threads, report)
            results.update(zip(native, done))
        for name, maker in makers.items():
            if name in results:
                continue
            seen = later(report, len(results) * options.runs * options.steps)
            if joblib is not None:
                traces = list(in_processes(joblib, on, maker, name, options, threads, seen, first=0))
            else:
                assert not isinstance(maker, str)
                traces = run_python(on, maker, name, options, threads, seen)
            results[name] = _core.summarise_runs(name, traces, options)
    for name, result in results.items():
        result.policy = name
    return Comparison(_core.Comparison(on, options, [results[name] for name in makers]))


def named(policies: Any) -> dict[str, PolicyLike]:
    """The policies by the names that results are found under."""
    if isinstance(policies, Mapping):
        pairs = list(policies.items())
    elif isinstance(policies, str) or callable(policies):
        pairs = [(name_of(policies, "policies"), policies)]
    elif isinstance(policies, Iterable):
        pairs = [(name_of(p, f"policies[{n}]"), p) for n, p in enumerate(policies)]
    else:
        raise TypeError(f"policies must be a list, not {type(policies).__name__}")
    if not pairs:
        raise ValueError("policies is empty")
    by_name: dict[str, PolicyLike] = {}
    for name, policy in pairs:
        text_of(f"the key {name!r} of policies", name)
        name_of(policy, f"policies[{name!r}]")
        if name in by_name:
            raise ValueError(f"policies has {name!r} twice")
        by_name[name] = policy
    return by_name


def name_of(policy: object, where: str) -> str:
    if isinstance(policy, str):
        return text_of(where, policy)
    if not isinstance(policy, type) and is_policy(policy):
        raise TypeError(
            f"{where} is an object; give its class, from which every run makes its own"
        )
    if not callable(policy):
        raise TypeError(f"{where} must be a name or a class, not {type(policy).__name__}")
    return str(getattr(policy, "__name__", type(policy).__name__))


def depth_text(depth: object) -> str:
    if depth is None:
        return ""
    if isinstance(depth, str):
        return text_of("depth", depth)
    return str(whole("depth", depth, 1, 10**9))  # type: ignore[arg-type]


def later(report: Report | None, before: int) -> Report | None:
    return None if report is None else lambda done: report(before + done)


def cluster() -> Any | None:
    """joblib, where its caller has chosen a backend that is not joblib's own: a cluster's."""
    joblib = sys.modules.get("joblib")
    if joblib is None:
        return None
    backend = joblib.parallel.get_active_backend()[0]
    return None if type(backend).__module__ == "joblib._parallel_backends" else joblib


def check_can_be_sent(name: str, factory: Factory) -> None:
    """Refuses at once what would fail only where runs take so long that processes are started."""
    joblib = found("joblib")
    sender = found("cloudpickle") or found("joblib.externals.cloudpickle")  # joblib's, of any of its versions
    if joblib is None or sender is None:
        return
    if getattr(joblib.parallel.get_active_backend()[0], "supports_sharedmem", False):
        return
    try:
        sender.dumps(factory)
    except Exception as fault:
        raise TypeError(
            f"policy {name!r} cannot be sent to other processes ({fault}): give n_jobs=1 to run it here"
        ) from None


def run_python(
    problem: Problem,
    factory: Factory,
    name: str,
    options: _core.ExperimentOptions,
    threads: int,
    report: Report | None,
) -> list[_core.RunTrace]:
    """All runs of a policy in Python: the first one here, which tells whether processes pay."""
    start = time.perf_counter()
    first = run_once(problem, factory, name, options, 0, report)
    left = (time.perf_counter() - start) * (options.runs - 1)
    if threads != 1 and left > WORTH_PROCESSES and (joblib := found("joblib")) is not None:
        return [first, *in_processes(joblib, problem, factory, name, options, threads, report)]
    return [first, *in_turn(problem, factory, name, options, report)]


def in_turn(
    problem: Problem, factory: Factory, name: str, options: _core.ExperimentOptions,
    report: Report | None,
) -> Iterator[_core.RunTrace]:  # fmt: skip
    for run in range(1, options.runs):
        yield run_once(problem, factory, name, options, run, later(report, run * options.steps))


def in_processes(
    joblib: Any, problem: Problem, policy: PolicyLike, name: str, options: _core.ExperimentOptions,
    threads: int, report: Report | None, first: int = 1,
) -> Iterator[_core.RunTrace]:  # fmt: skip
    """The runs from ``first`` on by joblib's backend: its own processes, unless the caller has chosen another."""
    backend = joblib.parallel.get_active_backend()[0]
    how = "generator" if getattr(backend, "supports_return_generator", False) else "list"
    traces = joblib.Parallel(n_jobs=threads or -1, return_as=how)(
        joblib.delayed(run_native if isinstance(policy, str) else run_once)(
            problem, policy, name, options, run
        )
        for run in range(first, options.runs)
    )
    for done, trace in enumerate(traces, start=first + 1):
        yield trace
        if report is not None:
            report(done * options.steps)


def run_native(
    problem: Problem, policy: str, _name: str, options: _core.ExperimentOptions, run: int
) -> _core.RunTrace:
    """One run of a policy of the library, on one core."""
    return _core.simulate_native(problem, policy, options, run)


def run_once(
    problem: Problem,
    factory: Factory,
    name: str,
    options: _core.ExperimentOptions,
    run: int,
    report: Report | None = None,
) -> _core.RunTrace:
    """One run of a policy in Python. Its generator depends on the seed and the run alone."""
    rng = np.random.Generator(np.random.PCG64(_core.policy_key(options.seed, run)))
    policy = factory(problem.items, problem.k, rng)
    if not is_policy(policy):
        raise TypeError(f"policy {name!r} has no methods rank and update")
    return _core.simulate_object(problem, policy, name, options, run, report)
