"""The errors of the library: one tree, so that `except signalbox.SignalboxError` catches all of them."""

from collections.abc import Mapping, Sequence
from typing import Any


class SignalboxError(Exception):
    """The base of all errors.

    message: what happened
    fix: what to do about it; None if the API does not say
    docs: the URL of the documentation of this error; None if there is none

    >>> error = SignalboxError("Something failed", fix="Try again")
    >>> str(error), error.fix, error.docs
    ('Something failed', 'Try again', None)
    """

    def __init__(self, message: str, *, fix: str | None = None, docs: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.docs = docs


class ConnectionFailed(SignalboxError):
    """There is no answer: the URL is wrong, the service is down, or the network is.

    >>> Signalbox("http://127.0.0.1:1", key, max_retries=0).get_all_templates()
    Traceback (most recent call last):
    signalbox.errors.ConnectionFailed: No answer from http://127.0.0.1:1: connection refused
    """


class ApiError(SignalboxError):
    """The service refused a request. `errors` are the error objects of the answer, and `kind` is of the first one.

    >>> try:
    ...     client.get_template("00000000-0000-0000-0000-000000000000")
    ... except ApiError as error:
    ...     print(error.status_code, error.kind)
    404 NoResultFound
    """

    def __init__(
        self,
        message: str,
        *,
        status_code: int,
        errors: Sequence[Mapping[str, Any]] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
        fix: str | None = None,
        docs: str | None = None,
    ) -> None:
        super().__init__(message, fix=fix, docs=docs)
        self.status_code = status_code
        self.errors = list(errors)
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def kind(self) -> str:
        return str(self.errors[0].get("error", "")) if self.errors else ""


class InvalidRequest(ApiError):
    """400, 413, 415 or 422: the request is wrong, and would be wrong again."""


class AuthenticationFailed(ApiError):
    """401 or 403: the key or token is wrong, or must not do this.

    >>> Signalbox(url, f"{key[:-36]}00000000-0000-0000-0000-000000000000").get_all_templates()
    Traceback (most recent call last):
    signalbox.errors.AuthenticationFailed: Invalid token: API key not found
    """


class NotFound(ApiError):
    """404: there is no such row."""


class Conflict(ApiError):
    """409 or 412: the row has changed, or its state does not allow this."""


class RateLimited(ApiError):
    """429: too many requests. `retry_after`: the seconds to wait"""


class ServerFailed(ApiError):
    """5xx: the service failed. The library has tried again where that is safe."""


class SignatureWrong(SignalboxError):
    """A callback has no valid signature. Answer with 401 and ignore its body."""


def of_status(status: int) -> type[ApiError]:
    """Return the class of errors of a status.

    >>> of_status(404).__name__, of_status(503).__name__, of_status(418).__name__
    ('NotFound', 'ServerFailed', 'InvalidRequest')
    """
    known: dict[int, type[ApiError]] = {
        401: AuthenticationFailed,
        403: AuthenticationFailed,
        404: NotFound,
        409: Conflict,
        412: Conflict,
        429: RateLimited,
    }
    return known.get(status, ServerFailed if status >= 500 else InvalidRequest)
