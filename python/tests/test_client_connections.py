"""How dr.Client reaches the service: keys, sockets, TLS, connections that are kept."""

from __future__ import annotations

import hashlib
import logging
import ssl
import subprocess
from pathlib import Path

import pytest

from dcmrank.client import Client, NoAnswer, ServiceError

from serving import Server, wait_until


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


def test_what_is_sent_again_is_told_to_logging(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "dcmrank.client"), pytest.raises(NoAnswer):
        Client("http://127.0.0.1:9", retries=2, key="secret").rank("q", ["a"])
    assert len(caplog.records) == 2 and "sent again in" in caplog.text and "secret" not in caplog.text
