"""Where a service is: http://HOST:PORT, https://HOST:PORT or unix:PATH."""

from __future__ import annotations

import os
import socket
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from . import checks


@dataclass(frozen=True, slots=True)
class Address:
    """`prefix` goes before every path, for a service behind a proxy."""

    url: str
    host: str
    port: int
    tls: bool = False
    unix: str | None = None
    prefix: str = ""

    @property
    def named(self) -> str:
        """As in the header Host. A service without keys accepts no other name for itself."""
        if self.unix is not None:
            return "localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = 443 if self.tls else 80
        return host if self.port == usual else f"{host}:{self.port}"

    def connect(self, context: ssl.SSLContext | None, timeout: float) -> socket.socket:
        if self.unix is not None:
            return self._connect_unix(timeout)
        plain = socket.create_connection((self.host, self.port), timeout)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if not self.tls or context is None:
                return plain
            return context.wrap_socket(plain, server_hostname=self.host)
        except BaseException:
            plain.close()
            raise

    def _connect_unix(self, timeout: float) -> socket.socket:
        assert self.unix is not None
        plain = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            plain.settimeout(timeout)
            plain.connect(self.unix)
        except BaseException:
            plain.close()
            raise
        return plain


def parse_address(url: object) -> Address:
    """Refuses what nobody means: a key in the address, a query string after it, other schemes."""
    given = checks.text(url, "url")
    if given.startswith("unix:"):
        path = given.removeprefix("unix:")
        if not path or "\0" in path:
            raise ValueError(f"url names no socket: {given!r}; it is written unix:PATH")
        return Address(given, "localhost", 0, unix=os.path.abspath(path))
    try:
        parts = urlsplit(given)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"url is not an address: {given!r} ({error})") from error
    if parts.username is not None or parts.password is not None:
        raise ValueError("url must not hold a name or a key; give it as key=...")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"url must be http://HOST:PORT, https://HOST:PORT or unix:PATH, not {given!r}")
    if parts.query or parts.fragment or not given.isascii() or any(c <= " " for c in given):
        raise ValueError(f"url must be an address alone, without ?, #, spaces or other letters: {given!r}")
    tls = parts.scheme == "https"
    return Address(
        url=given.rstrip("/"),
        host=parts.hostname,
        port=port if port is not None else (443 if tls else 80),
        tls=tls,
        prefix=parts.path.rstrip("/"),
    )
