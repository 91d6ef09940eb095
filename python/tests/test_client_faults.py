"""dr.Client when a server misbehaves: lost answers, silence, refusals, and what must not be done twice."""

from __future__ import annotations

import socket
import struct
import time
from pathlib import Path

import pytest

from dcmrank.client import Client, NoAnswer, ServiceError

from serving import PAGE, Raw, answer, ids_of


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
        time.sleep(60)

    fake = raw(behave)
    began = time.monotonic()
    with pytest.raises(NoAnswer, match="did not answer within 0.2 s"):
        Client(fake.url, timeout=0.2, retries=1).rank("q", ["a"])
    assert 0.4 < time.monotonic() - began < 20 and fake.connections == 2


def test_an_answer_that_drips_is_given_up_in_time(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        for byte in answer(PAGE):
            sock.sendall(bytes([byte]))
            time.sleep(0.25)

    fake = raw(behave)
    began = time.monotonic()
    with pytest.raises(NoAnswer, match="did not answer within"):
        Client(fake.url, timeout=0.3, retries=0).rank("q", ["a"])
    assert 0.25 < time.monotonic() - began < 20


def test_patience_ends_before_retries(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        time.sleep(60)

    fake = raw(behave)
    began = time.monotonic()
    with pytest.raises(NoAnswer):
        Client(fake.url, timeout=0.2, retries=1000, patience=1).rank("q", ["a"])
    assert 0.3 < time.monotonic() - began < 20


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
        assert time.monotonic() - began < 20
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
    assert 1.9 < time.monotonic() - began < 20


def test_a_wait_beyond_patience_is_not_begun(raw: Raw) -> None:
    def behave(sock: socket.socket, number: int) -> None:
        fake.read(sock)
        sock.sendall(answer("{}", "429 Too Many Requests", "Retry-After: 3600"))

    fake = raw(behave)
    began = time.monotonic()
    with pytest.raises(ServiceError) as caught:
        Client(fake.url).rank("q", ["a"])
    assert caught.value.retry_after == 3600 and time.monotonic() - began < 20


def test_a_server_that_does_not_read_is_given_up_in_time(raw: Raw) -> None:
    fake = raw(lambda sock, number: time.sleep(60))
    began = time.monotonic()
    with pytest.raises(NoAnswer, match="did not answer within 0.3 s"):
        Client(fake.url).import_(b" " * (64 << 20), timeout=0.3)
    assert time.monotonic() - began < 20 and fake.connections == 1


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
        ('{"error":{"code":"unsure","message":"m"}}', "503 Unsure", 1),
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
