"""dr.Client and answers that are strange: of proxies, of what is no service, of what speaks no HTTP."""

from __future__ import annotations

import random
import socket
from collections import Counter

import pytest

from dcmrank.client import Client, NoAnswer, ServiceError

from serving import OK, PAGE, Raw, always, answer


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
    with pytest.raises(NoAnswer, match="does not speak proper HTTP"):
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
