"""The recipient's pages: their templates, statuses and context.

Most are rendered without the request, so they show nothing of a user who is signed in to the console.
Source: docs/reference/files.md §9.
"""

from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext

from config import formats
from notifications.attachments.file_types import KINDS
from notifications.download import texts
from notifications.download.opening import OpenedFile
from notifications.models import AttachmentState

RETRY_AWAY_SECONDS = 60


def nowhere() -> HttpResponse:
    """Return the page for URLs that open no file. It is the same byte for byte for every URL."""
    help_contact = texts.contact(settings.FILES_HELP_CONTACT)
    return HttpResponse(render_to_string("download/nowhere.html", {"help_contact": help_contact}), status=404)


def landing(file: OpenedFile) -> HttpResponse:
    return _page("landing", file)


def malformed(request: HttpRequest, file: OpenedFile, typed: str) -> HttpResponse:
    error = gettext("Enter an email address in the correct format, like name@example.com")
    return form(request, file, status=400, summary=error, error=error, typed=typed)


def cookie_lost(request: HttpRequest, file: OpenedFile) -> HttpResponse:
    return form(request, file, summary=gettext("Your browser did not accept the cookie"))


def wrong_email_address(request: HttpRequest, file: OpenedFile, typed: str) -> HttpResponse:
    error = gettext("This is not the email address the file was sent to.")
    hint = gettext("Enter the email address that %(service)s sent it to.") % {"service": file.row.service.name}
    summary = f"{error} {hint}"
    return form(request, file, status=400, summary=summary, error=error, typed=typed)


def locked(file: OpenedFile, until: datetime, now: datetime) -> HttpResponse:
    local = timezone.localtime(until)
    response = _page("locked", file, status=429, until=texts.moment(local, timezone.localdate(now)))
    response["Retry-After"] = str(texts.seconds_until(until, now))
    return response


def again(file: OpenedFile) -> HttpResponse:
    """Return the page for a form that failed the CSRF check."""
    return _page("again", file, status=403)


def ready(file: OpenedFile) -> HttpResponse:
    return _page("file", file, name=safe_name(file))


def gone(file: OpenedFile, now: datetime) -> HttpResponse:
    """Return the page of an expired, removed or withdrawn file."""
    row = file.row
    was_until = formats.weekday(row.last_day) if now >= row.expires_at else ""
    is_withdrawn = row.state(now) == AttachmentState.WITHDRAWN
    return _page("gone", file, status=410, is_withdrawn=is_withdrawn, was_until=was_until)


def away(file: OpenedFile) -> HttpResponse:
    response = _page("away", file, status=503)
    response["Retry-After"] = str(RETRY_AWAY_SECONDS)
    return response


def damaged(file: OpenedFile) -> HttpResponse:
    return _page("damaged", file, status=500)


def safe_name(file: OpenedFile) -> str:
    """Return the name for the download, without path separators of any system."""
    name = file.row.name or f"{file.row.id.hex[:8]}.{file.row.extension}"
    return name.replace("/", "-").replace("\\", "-")


def form(request: HttpRequest, file: OpenedFile, *, status: int = 200, **further: str) -> HttpResponse:
    """Return the form for the email address.

    summary: the text of the summary; error: the error of the field; typed: its value
    """
    return _page("confirm", file, status=status, csrf_token=get_token(request), **further)


def _page(template: str, file: OpenedFile, *, status: int = 200, **further: object) -> HttpResponse:
    row = file.row
    context = {
        "service_name": row.service.name,
        "is_preview": file.is_preview,
        "contact": texts.contact(row.service.file_contact),
        "asks_for_email_address": row.asks_for_email_address,
        "size": formats.size(row.size_bytes),
        "kind": gettext(KINDS[row.extension][1]),
        "short_kind": row.extension.upper(),
        "last_day": formats.weekday(row.last_day),
        "steps": {step or "landing": file.url(step) for step in ("", "confirm", "file", "download")},
        **further,
    }
    return HttpResponse(render_to_string(f"download/{template}.html", context), status=status)
