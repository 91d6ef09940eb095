"""What goes wrong between a client and its service."""

from __future__ import annotations

from typing import Any


class ServiceError(Exception):
    """The service refused a call, or did not answer it (then it is a `NoAnswer`).

    `status` is the HTTP status (None without an answer), `code` and `message` are the service's words,
    `field` the field of the request that they are about, `request_id` what the service's log calls the
    request, and `retry_after` the seconds after which it asked to be tried again.

    >>> import dcmrank as dr
    >>> error = dr.ServiceError("the id was used for another request", status=409, code="id_taken")
    >>> print(error)
    409 id_taken: the id was used for another request
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        field: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.field = field
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        head = " ".join(str(part) for part in (self.status, self.code) if part is not None)
        tail = f" (request {self.request_id})" if self.request_id else ""
        return f"{head}: {self.message}{tail}" if head else f"{self.message}{tail}"

    def __reduce__(self) -> tuple[Any, ...]:  # exceptions with keywords do not pickle by themselves
        return type(self)._from_state, (self.__dict__,)

    @classmethod
    def _from_state(cls, state: dict[str, Any]) -> ServiceError:
        error = cls(state["message"])
        error.__dict__.update(state)
        return error


class NoAnswer(ServiceError):
    """No answer came, however often the call was sent.

    The service may have done what was asked: perhaps only the answer was lost. If it is sent again with the
    same ids, it is counted once.

    >>> import dcmrank as dr
    >>> try:
    ...     dr.Client("http://127.0.0.1:9", retries=0).rank("red shoes", ["a", "b"])
    ... except dr.NoAnswer as error:
    ...     print(error.message)
    no connection to http://127.0.0.1:9: Connection refused
    """
