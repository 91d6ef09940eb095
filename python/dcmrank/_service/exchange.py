"""Sends a request until it is answered, as often and as long as the caller allows."""

from __future__ import annotations

import email.utils
import json
import logging
import random
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any

from .address import Address
from .attempt import Answer, Failure, Request, connect, perform
from .connection import Connection
from .errors import NoAnswer, ServiceError
from .pool import Pool
from .values import new_id

FIRST_WAIT = 0.1
LONGEST_WAIT = 5.0
_logger = logging.getLogger("dcmrank.client")


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds to connect, for an answer, and for a whole call; and how often it is sent again."""

    connect: float
    answer: float
    patience: float
    retries: int


class Exchange:
    """Safe for many threads: nothing changes but the pool, which is."""

    def __init__(
        self, address: Address, headers: Mapping[str, str], context: ssl.SSLContext | None, limits: Limits, pool: Pool
    ) -> None:
        self._address = address
        self._headers = headers
        self._context = context
        self._limits = limits
        self.pool = pool

    def send(self, request: Request, attempts: int | None = None) -> Answer:
        """The answer of status 200, or the last error."""
        most = attempts or self._limits.retries + 1
        name = new_id()
        request = replace(request, headers={**self._headers, **request.headers, "X-Request-Id": name})
        began = time.monotonic()
        until = began + (request.wait or 0) + self._limits.patience
        start = request.body.tell() if _is_file(request.body) else 0
        lost = False
        for attempt in range(most):
            try:
                answer = self._attempt(request, until)
            except Failure as failure:
                lost = lost or failure.sent
                again = failure.again and (request.repeatable or not failure.sent)
                error: ServiceError = NoAnswer(str(failure), request_id=name)
                error.__cause__ = failure.__cause__
            else:
                if answer.status == 200:
                    return answer
                if answer.status == 404 and lost and request.method == "DELETE":
                    return Answer(200, answer.headers, b'{"erased":true}')  # by an attempt before
                error = refusal(answer, name)
                again = _is_worth_trying(answer.status, error, request)
            wait = _wait_before(attempt, error)
            late = time.monotonic() + wait >= until
            if not again or late or attempt + 1 == most or not _rewind(request.body, start):
                try:
                    raise error
                finally:
                    del error  # or it would hold itself, and all of this, until the next collection
            _logger.info("%s; sent again in %.2f s (%d of %d)", error, wait, attempt + 1, most - 1)
            time.sleep(wait)
        raise AssertionError("unreachable")

    def _attempt(self, request: Request, until: float) -> Answer:
        connection = self.pool.take() if request.repeatable else None
        if connection is not None:
            try:
                return self._perform(connection, request, until)
            except Failure as failure:
                if not failure.stale:
                    raise
                self.pool.clear()  # its neighbours were closed as well
        timeout = max(min(self._limits.connect, until - time.monotonic()), 0.001)
        return self._perform(connect(self._address, self._context, timeout), request, until)

    def _perform(self, connection: Connection, request: Request, until: float) -> Answer:
        until = min(until, time.monotonic() + (request.wait or self._limits.answer))
        try:
            answer = perform(connection, self._address, request, until)
        except BaseException:  # Ctrl-C, too: an answer to come would be taken for the next one's
            connection.close()
            raise
        if answer.stream is None:
            self.give_back(connection)
        return answer

    def give_back(self, connection: Connection) -> None:
        if connection.sock is not None:  # http.client closes it where the service said so
            self.pool.give(connection)


def refusal(answer: Answer, request_id: str) -> ServiceError:
    """The error in the service's words, or in those of whatever answered in its place."""
    told = _told(answer.body)
    message = told.get("message")
    if not isinstance(message, str):
        kind = answer.headers.get("Content-Type") or "no content type"
        message = f"an answer that is not the service's ({kind})"
    code, field = told.get("code"), told.get("field")
    return ServiceError(
        message,
        status=answer.status,
        code=code if isinstance(code, str) else None,
        field=field if isinstance(field, str) and field else None,
        request_id=answer.headers.get("X-Request-Id") or request_id,
        retry_after=_retry_after(answer.headers.get("Retry-After")),
    )


def _told(body: bytes) -> dict[str, Any]:
    try:
        told = json.loads(body)["error"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _is_worth_trying(status: int, error: ServiceError, request: Request) -> bool:
    if status == 429:
        return True
    if request.repeatable:
        return status in (502, 503, 504)  # 502 and 504 are a proxy's, while the service is away
    # The service itself says that it did nothing, or that it does not know.
    return status == 503 and error.code not in (None, "unsure")


def _retry_after(text: str | None) -> float | None:
    """Seconds, or a date."""
    if text is None:
        return None
    try:
        return max(float(int(text)), 0.0)
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return max((moment - datetime.now(timezone.utc)).total_seconds(), 0.0)


def _wait_before(attempt: int, error: ServiceError) -> float:
    """Doubles each time; a random part keeps many clients from coming back at the same moment."""
    if error.retry_after is not None:
        return error.retry_after + random.uniform(0.0, FIRST_WAIT)
    return min(FIRST_WAIT * 2.0**attempt, LONGEST_WAIT) * random.uniform(0.5, 1.0)


def _is_file(body: object) -> bool:
    return hasattr(body, "read")


def _rewind(body: Any, start: int) -> bool:
    if not _is_file(body):
        return True
    try:
        body.seek(start)
    except (OSError, ValueError):
        return False
    return True
