"""Every call of dr.Client against the real service."""

from __future__ import annotations

import copy
import doctest
import gzip
import hashlib
import io
import json
import logging
import pickle
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import dcmrank
from dcmrank import client as client_module
from dcmrank.client import Candidate, Click, Client, Close, NoAnswer, Page, RankedItem, ServiceError

from serving import Server, wait_until


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("service"))
    yield running
    running.kill()


@pytest.fixture
def shop(server: Server) -> Iterator[Client]:
    with Client(server.url, timeout=10) as client:
        yield client


@pytest.fixture
def query(request: pytest.FixtureRequest) -> str:
    return str(request.node.name)


def test_a_page_is_ranked_clicked_and_closed(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b", "c"], k=2)
    assert isinstance(page, Page) and isinstance(page[0], RankedItem)
    assert page.ids == ("a", "b")  # the caller's own order at first
    assert (page.query, page.model, page.round) == (query, "default", 1)
    assert [item.position for item in page] == [1, 2]
    assert shop.click(page, "b").status == "accepted"
    assert shop.close(page).status == "accepted"
    learned = shop.query(query)
    assert (learned.rounds, learned["b"].attracted, learned["a"].attracted) == (1, 1, 0)
    low, high = learned["b"].interval
    assert 0 <= low <= learned["b"].estimate <= high <= 1
    with pytest.raises(KeyError):
        learned["z"]


def test_priors_count_for_their_request(shop: Client, query: str) -> None:
    page = shop.rank(
        query, ["a", Candidate("b", observed=10000, attracted=9000), {"id": "c", "observed": 10000}]
    )
    estimates = {item.id: item.estimate for item in page}
    assert estimates["b"] > 0.8 and estimates["c"] < 0.1


def test_an_id_of_the_caller_makes_a_page_repeatable(shop: Client, query: str) -> None:
    first = shop.rank(query, ["a", "b"], id=query)
    assert shop.rank(query, ["a", "b"], id=query) == first
    assert first.impression == query
    with pytest.raises(ServiceError) as caught:
        shop.rank(query, ["b", "a"], id=query)
    assert (caught.value.status, caught.value.code, caught.value.field) == (409, "id_taken", "id")
    assert caught.value.request_id and caught.value.request_id in str(caught.value)


def test_pages_of_other_models_are_clicked_without_naming_these(shop: Client, query: str) -> None:
    made = shop.put_model("other", policy="dcm-kl-ucb", k=3, close_after="10m", mode="online")
    assert (made.name, made.policy, made.k, made.close_after) == ("other", "dcm-kl-ucb", 3, "10m")
    page = shop.rank(query, ["a", "b"], model="other")
    assert page.model == "other"
    assert [result.status for result in shop.clicks(page, ["a", "b"])] == ["accepted", "accepted"]
    assert shop.close(page, seen=2).counted
    assert shop.query(query, model="other").rounds == 1
    assert shop.query(query, model="other").termination
    assert made in shop.models()
    shop.erase_model("other")
    assert "other" not in [model.name for model in shop.models()]


def test_a_model_of_the_client_is_meant_everywhere(server: Server, query: str) -> None:
    shop = Client(server.url, model="mine")
    shop.put_model("mine")
    page = shop.rank(query, ["a", "b"])
    assert page.model == "mine"
    assert shop.click(page.impression, "a").status == "accepted"  # by the id alone
    assert shop.close(page.impression).status == "accepted"
    assert shop.impression(page.impression).clicks == ("a",)
    assert [entry.query for entry in shop.queries()] == [query]
    with pytest.raises(ServiceError, match="unknown_query"):
        shop.query(query, model="default")


def test_an_impression_is_shown_as_it_was_recorded(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b", "c"], durable=True)
    assert shop.impression(page).state == "open"
    shop.clicks(page, ["c"])
    shop.close(page, seen=3)
    recorded = shop.impression(page)
    assert (recorded.state, recorded.items, recorded.clicks, recorded.seen) == ("closed", page.ids, ("c",), 3)
    assert {one.id: one.attracted for one in recorded.contributed} == {"a": 0, "b": 0, "c": 1}
    assert recorded.made.tzinfo is not None and recorded.made.year >= 2026


def test_events_that_are_sent_again_count_once(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b"])
    events = [Click(page.impression, "a"), Close(page.impression)]
    assert [result.status for result in shop.feedback(events)] == ["accepted", "accepted"]
    again = shop.feedback(events)
    assert [result.status for result in again] == ["duplicate", "duplicate"]
    assert all(result.counted for result in again)
    assert shop.query(query)["a"].attracted == 1


def test_events_may_be_mappings(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b"])
    events: list[dict[str, object]] = [
        {"impression": page.impression, "type": "click", "item": "a", "id": query},
        {"impression": page.impression, "type": "close", "seen": 1},
        {"impression": "nobody knows", "type": "close"},
    ]
    results = shop.feedback(events)
    assert [result.status for result in results] == ["accepted", "accepted", "unknown_impression"]
    assert "held" in (results[2].reason or "")
    assert not results[2].counted
    assert shop.feedback([]) == ()


def test_more_events_than_a_request_takes_go_in_several(shop: Client, query: str) -> None:
    items = [f"item-{n}" for n in range(1000)]
    pages = [shop.rank(query, items, k=1000) for _ in range(12)]
    events = [Click(page.impression, item) for page in pages for item in items]
    assert len(events) == 12000
    results = shop.feedback(events)
    assert len(results) == 12000 and {result.status for result in results} == {"accepted"}
    assert {result.status for result in shop.feedback(reversed(events))} == {"duplicate"}


def test_what_is_rejected_is_an_error_of_click_and_close(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b"])
    with pytest.raises(ValueError, match="'z' is not in the page"):
        shop.click(page, "z")
    with pytest.raises(ServiceError, match="not in the impression") as caught:
        shop.click(page.impression, "z")
    assert caught.value.code == "rejected"
    with pytest.raises(ServiceError, match="above the number of positions"):
        shop.close(page, seen=3)
    assert shop.feedback([Click(page.impression, "z")])[0].status == "rejected"


def test_queries_are_listed_to_the_last_one(server: Server) -> None:
    shop = Client(server.url, model="many")
    shop.put_model("many")
    names = sorted(f"query {n:04}" for n in range(1203))
    events = [Close(shop.rank(name, ["a", "b"]).impression) for name in names]
    assert all(result.counted for result in shop.feedback(events))
    assert [entry.query for entry in shop.queries()] == names


@pytest.mark.parametrize("name", ["a/b c?d=e&f#g%", "..", ".", "日本語 ☂", "+", "\n\t\u0000", "é" * 400])
def test_any_text_can_be_a_query_and_an_item(shop: Client, name: str) -> None:
    page = shop.rank(name, [name, "other"], id=name)
    assert shop.click(page, name).counted and shop.close(page).counted
    assert shop.query(name)[name].attracted == 1
    assert shop.impression(page).clicks == (name,)
    shop.erase_item(name, name)
    with pytest.raises(KeyError):
        shop.query(name)[name]
    shop.erase_impression(page)
    assert shop.close(shop.rank(name, ["a", "b"])).counted
    shop.erase_query(name)
    with pytest.raises(ServiceError, match="404"):
        shop.query(name)


def test_what_is_erased_is_gone_and_what_is_not_there_is_said(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b"], durable=True)
    shop.erase_impression(page)
    with pytest.raises(ServiceError, match="404 unknown_impression"):
        shop.impression(page)
    with pytest.raises(ServiceError, match="404 unknown_impression"):
        shop.erase_impression(page)
    with pytest.raises(ServiceError, match="404"):
        shop.erase_model("never made")


def test_an_export_is_imported_by_another_service(shop: Client, query: str, tmp_path: Path) -> None:
    page = shop.rank(query, ["a", "b"])
    shop.clicks(page, ["a"])
    shop.close(page)
    with shop.export() as lines:
        whole = list(lines)
    assert all(json.loads(line) for line in whole)
    size = shop.export().save(tmp_path / "state.ndjson")
    assert size == (tmp_path / "state.ndjson").stat().st_size == sum(map(len, whole))
    assert [file.name for file in tmp_path.iterdir()] == ["state.ndjson"]
    other = Server(tmp_path)
    try:
        with Client(other.url) as second:
            imported = second.import_(tmp_path / "state.ndjson")
            assert imported == len([line for line in whole if b'"rounds"' in line])
            assert second.query(query) == shop.query(query)
            second.import_(b"".join(whole))  # adds
            assert second.query(query).rounds == 2 * shop.query(query).rounds
            with open(tmp_path / "state.ndjson", "rb") as file:
                second.import_(file)
            packed = io.BytesIO(gzip.compress(b"".join(whole)))
            with gzip.open(packed) as unpacking:  # whose size is not known before
                second.import_(unpacking)
            assert second.query(query).rounds == 4 * shop.query(query).rounds
    finally:
        other.stop()
    other.verify()


def test_an_import_that_cannot_be_read_is_the_files_fault(shop: Client, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        shop.import_(tmp_path / "missing")
    with pytest.raises(gzip.BadGzipFile), gzip.open(io.BytesIO(b"not packed")) as file:
        shop.import_(file)
    with pytest.raises(TypeError, match="'rb'"):
        shop.import_(io.StringIO("{}"))
    with pytest.raises(TypeError, match="not int"):
        shop.import_(3)
    with pytest.raises(ServiceError, match="400"):
        shop.import_(b"not an export")
    with pytest.raises(FileNotFoundError):
        shop.export().save(tmp_path / "no folder" / "state")


def test_health_and_readiness_do_not_raise(shop: Client) -> None:
    assert shop.health() and shop.ready()
    away = Client("http://127.0.0.1:9", retries=5)
    assert not away.health() and not away.ready()
    assert "dcmrank_storage_ok 1" in shop.metrics()


def test_the_service_refuses_in_its_own_words(shop: Client, query: str) -> None:
    with pytest.raises(ServiceError) as caught:
        shop.rank(query, ["a", "b"], k=3)
    error = caught.value
    assert (error.status, error.code, error.field) == (400, "bad_field", "k")
    assert str(error).startswith("400 bad_field: k is 3, above the number of items, 2 (request ")
    with pytest.raises(ServiceError, match="404 unknown_model"):
        shop.rank(query, ["a"], model="never made")
    with pytest.raises(ServiceError, match="too_many_items"):
        shop.rank(query, [str(n) for n in range(1001)])
    with pytest.raises(ServiceError, match="bytes"):
        shop.rank("q" * 1025, ["a"])
    with pytest.raises(ServiceError, match="mode must be"):
        shop.put_model("trial", mode="sideways")
    copied = pickle.loads(pickle.dumps(error))
    assert str(copied) == str(error) and copied.__dict__ == error.__dict__


def test_a_body_that_is_too_large_is_refused_not_lost(shop: Client) -> None:
    long = [("%04d" % n) + "x" * 1020 for n in range(1000)]
    with pytest.raises(ServiceError) as caught:
        shop.rank("q" * 1024, [*long, *("y" + name[1:] for name in long)])
    assert (caught.value.status, caught.value.code) == (413, "body_too_large")
    with pytest.raises(ServiceError, match="413 body_too_large"):
        shop.import_(b" " * (257 << 20))


def test_keys(tmp_path: Path, query: str) -> None:
    key, other = "k3y-of-the-shop", "another"
    keys = [(key, "rank,feedback shop"), (other, "rank,feedback,admin *"), ("slow", "rank * rate=2 burst=1")]
    lines = [f"sha256:{hashlib.sha256(name.encode()).hexdigest()} {rest}\n" for name, rest in keys]
    (tmp_path / "keys").write_text("".join(lines))
    server = Server(tmp_path, "--keys", str(tmp_path / "keys"))
    try:
        admin = Client(server.url, key=other)
        admin.put_model("shop")
        shop = Client(server.url, key=key)
        page = shop.rank(query, ["a", "b"])
        assert page.model == "shop"  # the key's only one
        assert shop.click(page, "a").counted and shop.click(page.impression, "b").counted
        with pytest.raises(ServiceError, match="403"):
            shop.models()
        for wrong, code in (("wrong", "wrong_key"), (None, "no_key")):
            with pytest.raises(ServiceError) as caught:
                Client(server.url, key=wrong).rank(query, ["a"])
            assert (caught.value.status, caught.value.code) == (401, code)
        slow = Client(server.url, key="slow", model="shop")
        assert len({slow.rank(query, ["a"]).impression for _ in range(3)}) == 3  # waits as it is told
        hasty = Client(server.url, key="slow", model="shop", retries=0)
        with pytest.raises(ServiceError) as caught:
            for _ in range(3):
                hasty.rank(query, ["a"])
        assert (caught.value.status, caught.value.retry_after) == (429, 1.0)
        assert key not in repr(shop) and repr(shop) == f"Client('{server.url}', key=...)"
        assert key not in str(vars(caught.value))
    finally:
        server.stop()


@pytest.mark.parametrize("key", ["", "two words", "line\n", "tab\t", "ключ", "a\r\nX-Other: b"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ValueError) as caught:
        Client("http://127.0.0.1:8080", key=key)
    assert not key or key not in str(caught.value)


def test_a_unix_socket(tmp_path: Path, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "socket"
    server = Server(tmp_path, listen=f"unix:{path}")
    try:
        with Client(f"unix:{path}") as shop:
            assert shop.close(shop.rank(query, ["a", "b"])).counted
            server.restart()
            assert shop.query(query).rounds == 1
        monkeypatch.chdir(tmp_path)
        relative = Client("unix:socket")
        monkeypatch.chdir("/")
        assert relative.health()
    finally:
        server.stop()
    with pytest.raises(NoAnswer, match="unix:.*No such file"):
        Client(f"unix:{path}", retries=1).rank(query, ["a"])


def test_tls(tmp_path: Path, query: str) -> None:
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        + ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")],
        capture_output=True,
    )
    assert made.returncode == 0
    options = ["--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem")]
    server = Server(tmp_path, *options)
    try:
        assert server.url.startswith("https://")
        trusting = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
        with Client(server.url, tls=trusting) as shop:
            for _ in range(3):
                assert shop.close(shop.rank(query, ["a", "b"])).counted
            server.restart()
            assert shop.query(query).rounds == 3
            with shop.export() as lines:
                assert len(list(lines)) > 1
        with pytest.raises(NoAnswer, match="certificate is not trusted"):
            Client(server.url, retries=5).rank(query, ["a"])  # at once: it will not be trusted later
        with pytest.raises(NoAnswer):
            Client(server.url.replace("https", "http"), retries=0).rank(query, ["a"])
    finally:
        server.stop()


def test_connections_are_kept_and_closed(server: Server, shop: Client, query: str) -> None:
    def opened() -> int:
        names = (line.split() for line in shop.metrics().splitlines())
        return int(next(float(name[1]) for name in names if name[:1] == ["dcmrank_connections"]))

    before = opened()
    with Client(server.url) as other:
        for _ in range(20):
            other.rank(query, ["a", "b"])
        assert opened() == before + 1
    wait_until(lambda: opened() == before)


def test_clients_and_pages_pickle_and_copy(server: Server, query: str) -> None:
    shop = Client(server.url, key="key", model="default", timeout=(1, 2), retries=3)
    page = shop.rank(query, ["a", "b"])
    for other in (pickle.loads(pickle.dumps(shop)), copy.deepcopy(shop), copy.copy(shop)):
        assert repr(other) == repr(shop)
        assert other.rank(query, ["a", "b"], id=page.impression) == page
    assert pickle.loads(pickle.dumps(page)) == page
    click = Click(page.impression, "a")
    assert pickle.loads(pickle.dumps(click)) == click and Click(page.impression, "a") != click


def test_what_is_sent_again_is_told_to_logging(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "dcmrank.client"), pytest.raises(NoAnswer):
        Client("http://127.0.0.1:9", retries=2, key="secret").rank("q", ["a"])
    assert len(caplog.records) == 2 and "sent again in" in caplog.text and "secret" not in caplog.text


def test_the_examples_of_the_client_run(server: Server) -> None:
    with Client(server.url) as shop:
        given = {"dr": dcmrank, "url": server.url, "shop": shop}
        tests = doctest.DocTestFinder().find(Client, "Client", extraglobs=given)
        runner = doctest.DocTestRunner()
        results = [runner.run(test) for test in tests]
    assert sum(result.attempted for result in results) > 20
    assert all(result.failed == 0 for result in results)


def test_every_public_call_has_a_docstring() -> None:
    for name in client_module.__all__:
        thing = getattr(client_module, name)
        assert thing.__doc__, name
        for member, value in vars(thing).items():
            if not member.startswith("_") and callable(value):
                assert value.__doc__, f"{name}.{member}"
