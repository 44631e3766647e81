"""The page that asks for the recipient's email address. Source: docs/reference/files.md §9.

The view checks the lock before it reads the form, and counts the attempt before it compares the email address.
"""

from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django.utils import timezone

from config.metrics import registry
from config.web.ip_addresses import client_ip
from notifications.download import access, pages, proof, tries
from notifications.download.opening import OpenedFile
from notifications.models import Attachment, DownloadEvent, DownloadKind
from notifications.recipients import email

# With "no-referrer", a browser posts `Origin: null`, which CSRF rejects; with "same-origin", Referer contains the key.
REFERRER_POLICY = "strict-origin"
SHORT_WAIT = timedelta(minutes=1)  # while other attempts are in progress, whose results are unknown


@access.link_holders(*access.READING, "POST")
def confirm(request: HttpRequest, file: OpenedFile) -> HttpResponseBase:
    response = _check(request, file) if request.method == "POST" else _ask(request, file)
    response.headers["Referrer-Policy"] = REFERRER_POLICY
    return response


def _ask(request: HttpRequest, file: OpenedFile) -> HttpResponse:
    if proof.is_enough(request, file):
        return access.SeeOther(file.url("file"))
    return pages.cookie_lost(request, file) if "lost" in request.GET else pages.form(request, file)


def _check(request: HttpRequest, file: OpenedFile) -> HttpResponse:
    row, now = file.row, timezone.now()
    if row.email_tag is None:
        return access.SeeOther(file.url("file"))
    if _is_forged(request):
        return pages.again(file)
    tag = tries.client_tag(client_ip(request), now)
    until = tries.locked_until(row.pk, tag, now)
    if until:
        return _locked(file, until, now)
    typed = request.POST.get("email_address", "")
    email_address = _parse(typed)
    if email_address is None:
        return pages.malformed(request, file, typed)
    if not tries.take(row.pk, tag, now):
        until = tries.locked_until(row.pk, tag, now) or now + SHORT_WAIT
        return _locked(file, until, now)
    if file.key.is_email_address(email_address, bytes(row.email_tag)):
        tries.give_back(row.pk, tag)
        return _let_in(request, file)
    _note(row, DownloadKind.WRONG_EMAIL_ADDRESS)
    if tries.lock_if_full(row.pk, now):
        _note(row, DownloadKind.LOCKED)
    return pages.wrong_email_address(request, file, typed)


def _locked(file: OpenedFile, until: datetime, now: datetime) -> HttpResponse:
    registry.LIMITED_REQUESTS.add("tries of a file")
    return pages.locked(file, until, now)


def _parse(typed: str) -> str | None:
    """Return the email address as sending parses it, or None. Ignore spaces, which copying often adds."""
    try:
        return email.parse("".join(typed.split())).as_given
    except email.InvalidEmailAddress:
        return None


def _let_in(request: HttpRequest, file: OpenedFile) -> HttpResponse:
    _note(file.row, DownloadKind.CONFIRMED)
    response = access.SeeOther(
        file.url("file", confirmed="1")
    )  # the next page finds out whether the browser kept the cookie
    proof.give(request, response, file)
    return response


def _note(row: Attachment, kind: DownloadKind) -> None:
    DownloadEvent.objects.create(attachment=row, kind=kind)


def _is_forged(request: HttpRequest) -> bool:
    """Return whether Django's CSRF check rejects the form by its token or origin."""
    return _forms.process_view(request, _posted, (), {}) is not None


def _posted(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


_forms = CsrfViewMiddleware(_posted)
