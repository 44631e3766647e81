"""The cookie that proves that the right email address was entered in this browser. It is valid for one hour and link.

Source: docs/reference/files.md §9.
"""

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare

from notifications.download.opening import OpenedFile

LASTS_SECONDS = 3600
_SALT = "files.confirmed"


def is_enough(request: HttpRequest, file: OpenedFile) -> bool:
    """Return whether this browser may download the file: it has the cookie, or the file needs no email address."""
    return not file.row.asks_for_email_address or _is_given(request, file)


def give(request: HttpRequest, response: HttpResponse, file: OpenedFile) -> None:
    """Set the cookie. With SameSite=Strict the page would ask again after each click in a webmail program."""
    response.set_cookie(
        _name(request, file),
        signing.dumps(_content(file), salt=_SALT),
        max_age=LASTS_SECONDS,
        path="/",
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )


def _is_given(request: HttpRequest, file: OpenedFile) -> bool:
    try:
        shown = signing.loads(request.COOKIES.get(_name(request, file), ""), salt=_SALT, max_age=LASTS_SECONDS)
    except signing.BadSignature:
        return False
    if not isinstance(shown, dict):
        return False
    same = [constant_time_compare(str(shown.get(name)), value) for name, value in _content(file).items()]
    return all(same)


def _content(file: OpenedFile) -> dict[str, str]:
    return {"f": str(file.row.id), "s": file.key.session().hex()}


def _name(request: HttpRequest, file: OpenedFile) -> str:
    """Return the name of the cookie. Browsers accept the prefix only over HTTPS; development may use plain HTTP."""
    return f"{'__Host-' if request.is_secure() else ''}f-{file.row.id.hex[:8]}"
