"""Limit the size of requests to pages before their body is read. The two APIs have their own limits.

Source: docs/reference/security.md §3.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponseBase

from config import views
from config.accounts import sessions
from config.rest import body
from config.rest.body import BodyReason, UnreadableBody
from config.web.body_limits import PAGE_BYTES, PAGE_WITH_FILES_BYTES

GetResponse = Callable[[HttpRequest], HttpResponseBase]
View = TypeVar("View", bound=Callable[..., Any])

# If every character of a form is escaped, Django needs 70 times its size: 300 MiB for a form of 4 MiB.
STRANGERS_FORM_BYTES = 64 * 1024
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def takes_files(view: View) -> View:
    """Allow signed-in users to send files to this view."""
    vars(view)["takes_files"] = True
    return view


class PageBodyLimit:
    """Return 413 for a body above the limit of its page, before the CSRF check reads the body."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: object, kwargs: object
    ) -> HttpResponseBase | None:
        if getattr(view, "reads_body", False):  # config.rest.body.reads_body
            return None
        is_known = sessions.is_signed_in(request)
        max_bytes = PAGE_WITH_FILES_BYTES if is_known and getattr(view, "takes_files", False) else PAGE_BYTES
        try:
            length = body.length(request.META)
            if length is None:
                length = _read_chunks(request, max_bytes, keep_bytes=max_bytes if is_known else STRANGERS_FORM_BYTES)
        except UnreadableBody as error:
            too_large = error.reason is BodyReason.TOO_LARGE
            return views.too_large(request, max_bytes) if too_large else views.bad_request(request, error)
        if length > max_bytes:
            return views.too_large(request, max_bytes)
        if length > STRANGERS_FORM_BYTES and not is_known and request.content_type in _FORMS:
            return views.bad_request(request, RequestDataTooBig())
        return None


def _read_chunks(request: HttpRequest, max_bytes: int, *, keep_bytes: int) -> int:
    """Read a chunked body, store it where Django looks for it, and return its length. Raises UnreadableBody.

    keep_bytes: a longer body is not kept
    """
    kept: list[bytes] = []
    length = 0
    for block in body.blocks(request.META, max_bytes=max_bytes):
        length += len(block)
        kept = [*kept, block] if length <= keep_bytes else []
    body.put(request, b"".join(kept))
    return length
