"""dr.Client when things go wrong: lost answers, restarts, kills, slow and strange servers, forks, threads."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import random
import signal
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dcmrank.client import Click, Client, NoAnswer, Page, ServiceError

from serving import OK, PAGE, RawServer, Server, answer

# Python 3.12 warns of what is tested here.
forks = pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
Raw = Callable[[Callable[[socket.socket, int], None]], RawServer]


@pytest.fixture
def raw() -> Iterator[Raw]:
    servers: list[RawServer] = []

    def make(behave: Callable[[socket.socket, int], None]) -> RawServer:
        servers.append(RawServer(behave))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.kill()


def ids_of(requests: list[bytes]) -> list[str]:
    return [json.loads(request.split(b"\r\n\r\n", 1)[1])["id"] for request in requests]


def always(made: bytes) -> Callable[[socket.socket, int], None]:
    """Answers each request so."""

    def behave(sock: socket.socket, number: int) -> None:
        while b"\r\n\r\n" in sock.recv(65536):
            sock.sendall(made)

    return behave


# ---- servers that misbehave


def test_an_answer_that_is_lost_is_asked_for_again_with_the_same_id(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        if number == 3:
            sock.sendall(answer(PAGE))
        elif number == 2:
            sock.sendall(answer(PAGE)[:60])  # a part of it

    fake = raw(behave)
    page = Client(fake.url).rank("q", ["a"])
    assert page.ids == ("a",) and fake.connections == 3
    assert len(fake.requests) == 3 and len(set(ids_of(fake.requests))) == 1
    names = {line for request in fake.requests for line in request.split(b"\r\n") if b"Request-Id" in line}
    assert len(names) == 1


def test_a_connection_that_was_closed_while_it_waited_is_not_noticed(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        sock.sendall(answer(PAGE))  # and closes, without having said so

    fake = raw(behave)
    with Client(fake.url, retries=0) as shop:
        for _ in range(5):
            assert shop.rank("q", ["a"]).ids == ("a",)
            time.sleep(0.02)
    assert fake.connections == 5


def test_a_connection_that_closes_as_the_request_comes_is_not_noticed(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        sock.sendall(answer(PAGE))
        fake.read(sock)  # the next one is not answered
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", number % 2, 0))  # FIN or RST

    fake = raw(behave)
    with Client(fake.url, retries=0) as shop:
        for _ in range(6):
            assert shop.rank("q", ["a"]).ids == ("a",)
    assert fake.connections == 6 and len(fake.requests) == 11


def test_the_end_of_retries_says_what_happened(raw: Raw) -> None:
    fake = raw(lambda sock, number: None)  # closes at once
    with pytest.raises(NoAnswer, match="closed the connection before its answer") as caught:
        Client(fake.url, retries=2).rank("q", ["a"])
    assert fake.connections == 3
    assert caught.value.status is None and caught.value.request_id
    assert isinstance(caught.value, ServiceError) and isinstance(caught.value.__cause__, ConnectionError)


def test_a_silent_server_is_given_up_in_time(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        time.sleep(5)

    fake = raw(behave)
    began = time.monotonic()
    with pytest.raises(NoAnswer, match="did not answer within 0.2 s"):
        Client(fake.url, timeout=0.2, retries=1).rank("q", ["a"])
    assert 0.4 < time.monotonic() - began < 2 and fake.connections == 2


def test_an_answer_that_drips_is_given_up_in_time(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        for byte in answer(PAGE):
            sock.sendall(bytes([byte]))
            time.sleep(0.05)

    fake = raw(behave)
    began = time.monotonic()
    with pytest.raises(NoAnswer, match="did not answer within"):
        Client(fake.url, timeout=0.3, retries=0).rank("q", ["a"])
    assert 0.25 < time.monotonic() - began < 2


def test_patience_ends_before_retries(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        time.sleep(5)

    fake = raw(behave)
    began = time.monotonic()
    with pytest.raises(NoAnswer):
        Client(fake.url, timeout=0.2, retries=1000, patience=1).rank("q", ["a"])
    assert 0.3 < time.monotonic() - began < 3


def test_no_connection_at_all(raw: Raw) -> None:
    with socket.socket() as full:  # a backlog that nobody takes from
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        filling = [socket.socket() for _ in range(4)]
        for one in filling:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        began = time.monotonic()
        with pytest.raises(NoAnswer, match="no connection to .* within 0.2 s"):
            Client(f"http://127.0.0.1:{port}", timeout=(0.2, 10), retries=1).rank("q", ["a"])
        assert time.monotonic() - began < 3
        for one in filling:
            one.close()
    with pytest.raises(NoAnswer, match="refused"):
        Client("http://127.0.0.1:9", retries=1).rank("q", ["a"])
    with pytest.raises(NoAnswer, match="no connection"):
        Client("http://no-such-host.invalid:80", retries=1).rank("q", ["a"])
    with pytest.raises(NoAnswer, match="no connection"):
        Client("http://" + "long-" * 40 + ".invalid", retries=1).rank("q", ["a"])


@pytest.mark.parametrize("status", ["503 Busy", "502 Bad Gateway", "504 Gateway Timeout", "429 Too Many"])
def test_what_may_pass_is_tried_again(raw: Raw, status: str) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        for attempt in range(3):
            fake.read(sock)
            sock.sendall(answer(PAGE) if attempt == 2 else answer("<html>", status))

    fake = raw(behave)
    assert Client(fake.url).rank("q", ["a"]).ids == ("a",)
    assert fake.connections == 1 and len(set(ids_of(fake.requests))) == 1


@pytest.mark.parametrize("status", ["400 No", "401 No", "403 No", "404 No", "408 No", "409 No", "413 No", "500 No"])
def test_what_will_not_pass_is_told_at_once(raw: Raw, status: str) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        while fake.read(sock):
            sock.sendall(answer('{"error":{"code":"c","message":"because"}}', status, "X-Request-Id: r-7"))

    fake = raw(behave)
    with pytest.raises(ServiceError) as caught:
        Client(fake.url).rank("q", ["a"])
    assert str(caught.value) == f"{status[:3]} c: because (request r-7)"
    assert len(fake.requests) == 1 and not isinstance(caught.value, NoAnswer)


def test_retry_after_is_honoured_as_seconds_and_as_a_date(raw: Raw) -> None:
    later = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 3))
    waits = ["Retry-After: 1", f"Retry-After: {later}", "Retry-After: soon"]

    def behave(sock: socket.socket, number: int) -> None:
        for wait in waits:
            fake.read(sock)
            sock.sendall(answer("{}", "429 Too Many Requests", wait))
        fake.read(sock)
        sock.sendall(answer(PAGE))

    fake = raw(behave)
    began = time.monotonic()
    assert Client(fake.url).rank("q", ["a"]).ids == ("a",)
    assert 1.9 < time.monotonic() - began < 6


def test_a_wait_beyond_patience_is_not_begun(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        sock.sendall(answer("{}", "429 Too Many Requests", "Retry-After: 3600"))

    fake = raw(behave)
    began = time.monotonic()
    with pytest.raises(ServiceError) as caught:
        Client(fake.url).rank("q", ["a"])
    assert caught.value.retry_after == 3600 and time.monotonic() - began < 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>hello</html>", "not JSON but b'<html>"),
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "where an object belongs"),
        (b"{}", "impression is None, not a text"),
        (PAGE.replace('"a"', "7").encode(), "id is 7, not a text"),
        (PAGE.replace('"round":1', '"round":true').encode(), "round is True, not a whole number"),
        (PAGE.replace('"items":[', '"items":["b",').encode(), "'b' where an object belongs"),
    ],
)
def test_an_answer_that_is_not_the_services(raw: Raw, body: bytes, words: str) -> None:
    fake = raw(always(answer(body)))
    with pytest.raises(ServiceError) as caught:
        Client(fake.url).rank("q", ["a"])
    assert words in str(caught.value) and len(str(caught.value)) < 300
    assert caught.value.status == 200 and fake.connections == 1


@pytest.mark.parametrize(
    "bytes_",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 two hundred\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x50",
    ],
)
def test_what_does_not_speak_http(raw: Raw, bytes_: bytes) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        sock.sendall(bytes_)
        sock.shutdown(socket.SHUT_WR)
        sock.recv(1)

    fake = raw(behave)
    with pytest.raises(NoAnswer, match="does not speak HTTP as it should"):
        Client(fake.url).rank("q", ["a"])
    assert fake.connections == 1


def test_random_bytes_never_are_anything_but_a_service_error(raw: Raw) -> None:
    draw = random.Random(7)
    good = answer(PAGE)

    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        data = bytearray(good)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        sock.sendall(bytes(data[: draw.randint(0, 2 * len(data))]))

    fake = raw(behave)
    outcomes: Counter[str] = Counter()
    for _ in range(300):
        try:
            Client(fake.url, retries=0, timeout=5).rank("q", ["a"])
            outcomes["page"] += 1
        except ServiceError as error:
            outcomes[type(error).__name__] += 1
    assert sum(outcomes.values()) == 300 and len(outcomes) == 3, outcomes


def test_a_redirect_is_not_followed_with_the_key(raw: Raw) -> None:
    thief = raw(lambda sock, number: None)
    fake = raw(always(answer("", "302 Found", f"Location: {thief.url}")))
    with pytest.raises(ServiceError, match="302"):
        Client(fake.url, key="secret").rank("q", ["a"])
    assert thief.connections == 0


def test_a_server_that_does_not_read_is_given_up_in_time(raw: Raw) -> None:
    fake = raw(lambda sock, number: time.sleep(5))
    began = time.monotonic()
    with pytest.raises(NoAnswer, match="did not answer within 0.3 s"):
        Client(fake.url).import_(b" " * (64 << 20), timeout=0.3)
    assert time.monotonic() - began < 4 and fake.connections == 1


@pytest.mark.parametrize(
    "made",
    [
        b"HTTP/1.0 200 OK\r\n\r\n" + PAGE.encode(),  # ends with the connection
        b"HTTP/1.1 100 Continue\r\n\r\n" + answer(PAGE),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n"
        % (PAGE[:5].encode(), len(PAGE) - 5, PAGE[5:].encode()),
        answer(PAGE, "200 OK", "Connection: close"),
    ],
)
def test_answers_as_proxies_give_them(raw: Raw, made: bytes) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        sock.sendall(made)

    fake = raw(behave)
    with Client(fake.url, retries=0) as shop:
        for _ in range(3):
            assert shop.rank("q", ["a"]).ids == ("a",)


def test_a_path_before_the_services_own(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        sock.sendall(answer(OK))

    fake = raw(behave)
    assert Client(fake.url + "/ranking/").health()
    assert fake.requests[0].startswith(b"GET /ranking/healthz HTTP/1.1\r\n")


# ---- what must not be done twice


def test_an_import_whose_answer_is_lost_is_not_sent_again(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)

    fake = raw(behave)
    with pytest.raises(NoAnswer):
        Client(fake.url).import_(b"{}")
    assert fake.connections == 1


@pytest.mark.parametrize(
    ("body", "status", "requests"),
    [
        ('{"error":{"code":"busy","message":"m"}}', "503 Busy", 2),  # the service did nothing
        ("<html>", "503 Busy", 1),  # who knows
        ("<html>", "502 Bad Gateway", 1),
        ('{"error":{"code":"too_many_requests","message":"m"}}', "429 Wait", 2),
    ],
)
def test_an_import_is_sent_again_only_where_nothing_was_done(raw: Raw, body: str, status: str, requests: int) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        sock.sendall(answer('{"imported":1}') if number == 2 else answer(body, status))

    fake = raw(behave)
    if requests == 2:
        assert Client(fake.url).import_(b'{"all":"of it"}') == 1
        assert fake.requests[0].endswith(b'{"all":"of it"}') and fake.requests[1].endswith(b'{"all":"of it"}')
    else:
        with pytest.raises(ServiceError):
            Client(fake.url).import_(b"{}")
    assert len(fake.requests) == requests


def test_what_was_erased_by_a_call_whose_answer_was_lost_is_erased(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        if number == 2:
            sock.sendall(answer('{"error":{"code":"unknown_query","message":"m"}}', "404 Not Found"))

    fake = raw(behave)
    Client(fake.url).erase_query("q")
    assert len(fake.requests) == 2
    with pytest.raises(ServiceError, match="404"):
        Client(raw(lambda sock, n: sock.sendall(answer("{}", "404 Not Found"))).url).erase_query("q")


def test_a_part_of_an_export_is_never_taken_for_the_whole(raw: Raw, tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
    ways = [
        head + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}\n{}\r\n",
        head + b"Content-Length: 100\r\n\r\n{}\n{}\n",
        head + b"\r\n{}\n{}\n",
    ]

    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        sock.sendall(ways[(number - 1) % 3])

    fake = raw(behave)
    for words in ("broke off", "broke off", "cannot be told"):
        with pytest.raises(ServiceError, match=words):
            Client(fake.url).export().save(tmp_path / "export")
        assert list(tmp_path.iterdir()) == []


# ---- the real service, which comes and goes


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
    os.kill(server.pid, signal.SIGSTOP)
    try:
        with pytest.raises(NoAnswer, match="did not answer"):
            shop.feedback([event])
        with pytest.raises(NoAnswer):
            shop.click(page, "a")
    finally:
        os.kill(server.pid, signal.SIGCONT)
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
