"""The base classes of the errors of both APIs, and the two shapes of an error body. They need no framework.

Each error is one class. Answers, the OpenAPI document, the documentation page and the console read its attributes.
Source: docs/reference/data-sets.md §10; docs/reference/running.md §11.
"""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import ClassVar, Self

MAX_VALUE_CHARACTERS = 10_000  # of one value in a text: an answer must not grow with the request
MAX_QUOTED_CHARACTERS = 4_000  # of one value that a request sent; URLs may have 2,000 and are quoted whole
_VALUES = re.compile(r"\{\w+\}(?: \{\w+\})*")


def shortened(text: str, limit: int = MAX_QUOTED_CHARACTERS) -> str:
    """Return a text that is cut to the limit, with an ellipsis in place of the rest.

    >>> shortened("Tide times", 4), shortened("Tide", 4)
    ('Tide…', 'Tide')
    """
    return text if len(text) <= limit else f"{text[:limit]}…"


class ApiError(Exception):
    """One reason to refuse a request.

    slug:   names its entry in the documentation; blank for base classes and for errors outside both APIs
    status: the HTTP status; challenge: the header `WWW-Authenticate` if the status is 401
    text:   the message; `{name}` is replaced by a value
    fix:    one sentence about what to do; an instance may have its own
    cause:  why the error happens, if the text does not say it; the documentation shows it
    limit:  the name in the metrics of the limit that was reached
    values: for the names in `text`, for translations
    retry_after_seconds: when to send the same request again, if that is known
    """

    slug: str = ""
    status: int = 400
    kind: ClassVar[str] = ""
    text: ClassVar[str] = ""
    fix: str = ""
    cause: ClassVar[str] = ""
    limit: str = ""
    retry_after_seconds: int | None = None
    challenge: str = "Bearer"

    def __init__(self, message: str = "", *, fix: str = "", **values: object) -> None:
        """message: replaces `text`; values: for the names in `text`."""
        self.values = _bounded(values)
        self.message = message or (self.text.format(**self.values) if values else self.text)
        if fix:
            self.fix = fix
        super().__init__(self.message)

    @classmethod
    def documented(cls) -> Self:
        """Return the error as the documentation shows it, with `…` for each value."""
        error = cls.__new__(cls)
        ApiError.__init__(error, _VALUES.sub("…", cls.text))
        return error

    @property
    def anchor(self) -> str:
        return f"errors-{self.slug}"

    @property
    def status_name(self) -> str:
        return HTTPStatus(self.status).phrase

    def body(self, docs: str = "") -> dict[str, object]:
        """Return the body of the answer. docs: the URL of the documentation if the caller asks for help."""
        raise NotImplementedError

    def _help(self, docs: str) -> dict[str, object]:
        """Return the help of a body. It is there only on request, because clients compare whole objects."""
        found: dict[str, object] = {}
        if docs and self.fix:
            found["fix"] = self.fix
        if docs and self.slug:
            found["docs"] = f"{docs}#{self.anchor}"
        return found

    def headers(self) -> dict[str, str]:
        headers = {"Cache-Control": "no-store"}
        if self.status == HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = self.challenge
        if self.retry_after_seconds is not None:
            headers["Retry-After"] = str(self.retry_after_seconds)
        return headers


def _bounded(values: Mapping[str, object]) -> dict[str, object]:
    return {
        name: shortened(value, MAX_VALUE_CHARACTERS) if isinstance(value, str) else value
        for name, value in values.items()
    }


class SendingError(ApiError):
    """An error of the sending API. `kind` is the value of `error` in the body."""

    kind = "BadRequestError"

    @property
    def errors(self) -> Sequence["SendingError"]:
        """Return the entries of the body; most errors are one entry."""
        return [self]

    def body(self, docs: str = "") -> dict[str, object]:
        return {"status_code": self.status, "errors": [error._entry(docs) for error in self.errors]}

    def _entry(self, docs: str) -> dict[str, object]:
        return {"error": self.kind, "message": self.message, **self._help(docs)}


class DataError(ApiError):
    """An error of the data set API."""

    def body(self, docs: str = "") -> dict[str, object]:
        return {"status": "error", "message": self.message, **self._help(docs), **self.details()}

    def details(self) -> Mapping[str, object]:
        """Return the keys of the body after the message."""
        return {}
