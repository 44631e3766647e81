"""Previews of the recipient's pages, with the service's name, contact and language, and a file that does not exist.

Source: docs/reference/console.md §3.21.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from notifications.attachments.encryption import FileKey
from notifications.download import access, pages, unsubscribe
from notifications.download.opening import OpenedFile
from notifications.models import Attachment, Service
from notifications.submission import public_pages

_NAME, _SIZE_BYTES, _EMAIL_ADDRESS = "Permit 4711.pdf", 245_000, "name@example.com"
_AVAILABLE_FOR = timedelta(weeks=26)
_LOCKED_FOR = timedelta(minutes=15)

Preview = Callable[[HttpRequest, OpenedFile, datetime], HttpResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFile(OpenedFile):
    """A file that is not stored. Its links lead to the previews of the next pages."""

    token: str
    is_preview: bool = True

    def url(self, page: str = "", **further: str) -> str:
        return public_pages.url(self.token, "file" if page == "download" else page or "landing")


def _expired(request: HttpRequest, file: OpenedFile, now: datetime) -> HttpResponse:
    file.row.expires_at = now
    return pages.gone(file, now)


def _withdrawn(request: HttpRequest, file: OpenedFile, now: datetime) -> HttpResponse:
    file.row.withdrawn_at = now
    return pages.gone(file, now)


PREVIEWS: Mapping[str, Preview] = {
    "landing": lambda request, file, now: pages.landing(file),
    "confirm": lambda request, file, now: pages.form(request, file),
    "wrong-email-address": lambda request, file, now: pages.wrong_email_address(request, file, _EMAIL_ADDRESS),
    "locked": lambda request, file, now: pages.locked(file, now + _LOCKED_FOR, now),
    "file": lambda request, file, now: pages.ready(file),
    "expired": _expired,
    "withdrawn": _withdrawn,
    "away": lambda request, file, now: pages.away(file),
    "damaged": lambda request, file, now: pages.damaged(file),
    "unsubscribe": lambda request, file, now: unsubscribe.ask(request, file.row.service),
    "unsubscribed": lambda request, file, now: unsubscribe.stored(request, file.row.service, now, is_preview=True),
}


@csrf_exempt  # without it, Django answers a POST with its CSRF page instead of 405
@require_safe
def preview(request: HttpRequest, token: str, page: str) -> HttpResponse:
    """Show one page, always with status 200, or the page of a link that does not work."""
    access.forget_console(request)
    service = public_pages.read_token(token)
    if service is None or page not in PREVIEWS:
        return pages.nowhere()
    now = timezone.now()
    with translation.override(service.page_language):
        answer = PREVIEWS[page](request, _sample(service, token, now), now)
    return HttpResponse(answer.content)


def _sample(service: Service, token: str, now: datetime) -> SampleFile:
    key = FileKey.new()
    row = Attachment(id=key.file_id, service=service, extension="pdf", size_bytes=_SIZE_BYTES, email_tag=b"any")
    row.expires_at = now + _AVAILABLE_FOR
    row.set_name(_NAME)
    return SampleFile(row=row, key=key, token=token)
