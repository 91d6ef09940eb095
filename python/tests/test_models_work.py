"""Click models at work: threads, processes, progress, Ctrl-C, memory."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
from pathlib import Path

import pytest
from log_cases import MODELS, text_of
from sklearn.base import clone

import dcmrank as dr


def test_threads_change_nothing(model: dr.ClickModel, logs: dict[str, Path], tmp_path: Path) -> None:
    log = dr.read_log([logs["tsv"]] * 3, format="tsv")
    texts = {text_of(clone(model).set_params(n_jobs=n).fit(log), tmp_path / "m") for n in (1, 2, 5)}
    assert len(texts) == 1


def test_it_says_that_em_did_not_converge(pages: dr.Table) -> None:
    model = dr.PositionBasedModel(max_iterations=2)
    with pytest.warns(dr.ConvergenceWarning, match="EM did not converge in 2 iterations") as seen:
        model.fit(pages)
    assert seen[0].filename == __file__
    assert not model.converged_ and model.n_iter_ == 2 and len(model.log_likelihoods_) == 3


def test_progress_is_told(logs: dict[str, Path]) -> None:
    log = dr.read_log(logs["tsv"], format="tsv")
    seen: list[tuple[int, int]] = []
    dr.CascadeModel(progress=lambda *how: seen.append(how)).fit(log)  # type: ignore[arg-type]
    size = logs["tsv"].stat().st_size
    assert seen[-1] == (size, size)


def interrupted_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


# Within a second of what the process gets of two cores, since other work may take most of them.
@pytest.mark.parametrize("name", ["dcm", "pbm", "ubm", "dbn", "ccm"])
def test_ctrl_c_stops_em_within_a_second(name: str) -> None:
    model = MODELS[name](method="em", tolerance=0, max_iterations=10**9)
    large = dr.example_log(50_000)
    timer = interrupted_after(0.5)
    begin = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        while time.process_time() - begin < 30:
            model.fit(large)
    assert time.process_time() - begin < 2 * 1.5
    timer.join()


def test_ctrl_c_stops_sampling_within_a_second(pages: dr.Table) -> None:
    model = dr.CascadeModel().fit(pages)
    timer = interrupted_after(0.3)
    begin = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        model.sample(10**9)
    assert time.process_time() - begin < 2 * 1.3
    timer.join()


def test_ctrl_c_stops_reading_within_a_second(logs: dict[str, Path]) -> None:
    log = dr.read_log([logs["tsv"]] * 5000, format="tsv")
    for call in (dr.CascadeModel().fit, dr.CascadeModel().fit(dr.example_log()).score, dr.count):
        timer = interrupted_after(0.3)
        begin = time.process_time()
        with pytest.raises(KeyboardInterrupt):
            call(log)
        assert time.process_time() - begin < 2 * 1.3
        timer.join()


def test_two_threads_fit_at_once(pages: dr.Table) -> None:
    expected = dr.UserBrowsingModel().fit(pages).attraction_
    found: list[dr.Table] = []
    work = lambda: found.append(dr.UserBrowsingModel().fit(pages).attraction_)  # noqa: E731
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def score_of(model: dr.ClickModel) -> float:
    return clone(model).fit(dr.example_log(500)).score(dr.example_log(500, seed=2))


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_other_processes_fit_the_same(how: str, pages: dr.Table) -> None:
    model = dr.UserBrowsingModel().fit(pages)  # threads have run before the fork
    with multiprocessing.get_context(how).Pool(2) as pool:
        assert set(pool.map(score_of, [model] * 3)) == {score_of(model)}


def test_memory_stays_flat() -> None:
    frame = dr.example_log(20).to_pandas()
    resident = lambda: int(Path("/proc/self/statm").read_text().split()[1]) * 4096  # noqa: E731

    def many(rounds: int) -> None:
        for _ in range(rounds):
            model = dr.DependentClickModel(method="em", n_jobs=1, progress=False).fit(frame)
            pickle.loads(pickle.dumps(model)).attraction_.to_arrow()
            model.predict_clicks(frame)["probability"]

    many(200)
    before = resident()
    many(1000)
    assert resident() - before < 8_000_000
