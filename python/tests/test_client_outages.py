"""dr.Client and the real service, which comes and goes: restarts, kills, forks, threads, Ctrl-C."""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dcmrank.client import Click, Client, NoAnswer, Page, ServiceError

from serving import Server

# Python 3.12 warns of what is tested here.
forks = pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.kill()


def test_a_restart_between_calls_is_not_noticed(server: Server) -> None:
    with Client(server.url, retries=0) as shop:
        for n in range(3):
            assert shop.close(shop.rank("q", ["a", "b"])).counted
            server.restart()
            assert shop.query("q").rounds == n + 1


def test_a_restart_during_calls_is_waited_for(server: Server) -> None:
    with Client(server.url) as shop:
        page = shop.rank("q", ["a", "b"], durable=True)
        server.kill()
        late = threading.Timer(0.7, server.start)
        late.start()
        assert shop.click(page, "a").status == "accepted"
        late.join()
        assert shop.close(page).counted and shop.query("q")["a"].attracted == 1


def visit(shop: Client, query: str, n: int) -> tuple[Page, str]:
    """A page with one click on it, and what became of that."""
    page = shop.rank(query, ["a", "b", "c"], durable=True)
    clicked = page.ids[n % 3]
    assert shop.click(page, clicked).counted
    assert shop.close(page).counted
    return page, clicked


def test_kills_under_load_lose_and_double_nothing(server: Server) -> None:
    shop = Client(server.url, retries=50, patience=60, timeout=(1, 10))
    done: list[tuple[Page, str]] = []
    stop = threading.Event()

    def load(worker: int) -> None:
        n = worker
        while not stop.is_set():
            done.append(visit(shop, "q", n))
            n += 1

    with ThreadPoolExecutor(8) as threads:
        working = [threads.submit(load, worker) for worker in range(8)]
        for _ in range(int(os.environ.get("KILL_ROUNDS", "4"))):
            time.sleep(random.uniform(0.2, 0.6))
            server.kill()
            server.start()
        stop.set()
        for one in working:
            one.result()
    learned = shop.query("q")
    assert len(done) > 20
    assert learned.rounds == len(done)
    clicks = Counter(clicked for _, clicked in done)
    assert {item.id: item.attracted for item in learned.items} == dict(clicks)
    shown = Counter(item for page, _ in done for item in page.ids)
    assert {item.id: item.observed for item in learned.items} == dict(shown)
    server.stop()
    server.verify()


def test_a_frozen_service_is_given_up_and_counted_once_when_it_wakes(server: Server) -> None:
    shop = Client(server.url, timeout=(1, 0.4), retries=1)
    page = shop.rank("q", ["a", "b"], durable=True)
    event = Click(page.impression, "a")
    with server.frozen():
        with pytest.raises(NoAnswer, match="did not answer"):
            shop.feedback([event])
        with pytest.raises(NoAnswer):
            shop.click(page, "a")
    calm = Client(server.url)
    assert calm.feedback([event])[0].counted
    assert calm.close(page).counted
    assert (calm.query("q").rounds, calm.query("q")["a"].attracted) == (1, 1)


def test_connections_that_the_service_closes_when_idle_are_not_noticed(tmp_path: Path) -> None:
    server = Server(tmp_path, "--idle-time", "1s")
    try:
        with Client(server.url, retries=0) as shop:
            for n, pause in enumerate((0.98, 1.0, 1.02, 1.3)):
                visit(shop, "q", n)
                time.sleep(pause)
            assert shop.query("q").rounds == 4
    finally:
        server.kill()


def test_more_threads_than_the_service_takes_connections(tmp_path: Path) -> None:
    server = Server(tmp_path, "--max-connections", "4")
    try:
        shop = Client(server.url, retries=200, patience=120)
        with ThreadPoolExecutor(16) as threads:
            assert len(list(threads.map(lambda n: visit(shop, "q", n), range(80)))) == 80
        assert shop.query("q").rounds == 80
    finally:
        server.kill()


def test_32_threads_share_a_client(server: Server) -> None:
    with Client(server.url, connections=4) as shop, ThreadPoolExecutor(32) as threads:
        pages = list(threads.map(lambda n: visit(shop, f"q{n % 5}", n), range(320)))
        assert len({page.impression for page, _ in pages}) == 320
        assert sum(entry.rounds for entry in shop.queries()) == 320
        for n in range(5):
            mine = Counter(clicked for page, clicked in pages if page.query == f"q{n}")
            assert {item.id: item.attracted for item in shop.query(f"q{n}").items} == {
                name: mine[name] for name in "abc"
            }


def _in_a_child(shop: Client, n: int) -> str:
    page, _ = visit(shop, "q", n)
    return page.impression


@forks
def test_children_of_a_fork_do_not_share_connections(server: Server) -> None:
    shop = Client(server.url)
    visit(shop, "q", 0)  # a connection waits
    stop = threading.Event()
    busy = threading.Thread(target=lambda: [visit(shop, "busy", 0) for _ in iter(stop.is_set, True)])
    busy.start()
    try:
        with multiprocessing.get_context("fork").Pool(6) as children:
            made = children.starmap(_in_a_child, [(shop, n) for n in range(60)])
            for n in range(20):
                visit(shop, "q", n)
    finally:
        stop.set()
        busy.join()
    assert len(set(made)) == 60
    assert shop.query("q").rounds == 81


@forks
def test_a_fork_in_the_middle_of_everything(server: Server) -> None:
    """The child inherits a client with an open connection as it is, not by way of a pickle."""
    shop = Client(server.url)
    visit(shop, "q", 0)
    reading = shop.export()
    children = []
    for n in range(4):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                for _ in range(10):
                    visit(shop, "q", n)
                with pytest.raises(RuntimeError, match="in the process that asked"):
                    list(reading)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    for _ in range(10):
        visit(shop, "q", 1)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert len(list(reading)) > 0
    assert shop.query("q").rounds == 51


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # a socket that was just made when the signal came
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_call_that_is_interrupted_leaves_no_answer_behind(server: Server) -> None:
    """Ctrl-C in the middle of a call: the next one must not get its answer."""

    class Stop(Exception):
        pass

    def interrupt(*_: object) -> None:
        raise Stop

    shop = Client(server.url)
    before = signal.signal(signal.SIGALRM, interrupt)
    stopped = 0
    try:
        for n in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0001, 0.003))
                for again in range(1000):
                    name = f"page-{n}-{again}"
                    assert shop.rank("q", ["a", "b"], id=name).impression == name
            except Stop:
                stopped += 1
    finally:
        signal.signal(signal.SIGALRM, before)
        gc.collect()
    assert stopped > 100
    assert shop.rank("q", ["a", "b"], id="the last").impression == "the last"


def test_descriptors_are_given_back(server: Server) -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = descriptors()
    for _ in range(50):
        with Client(server.url) as shop:
            shop.rank("q", ["a", "b"])
            shop.export().close()
            next(iter(shop.export()))
            with pytest.raises(ServiceError):
                shop.query("never")
    server.kill()
    for _ in range(20):
        assert not shop.health()
    assert descriptors() <= before + 1
