"""The landing, file and download pages.

Source: docs/reference/files.md §9.
"""

from collections.abc import Iterator

import structlog
from django.db import DatabaseError
from django.db.models import F
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from config.encryption import DecryptionFailed
from notifications.attachments import store
from notifications.attachments.encryption import BlobDamaged
from notifications.attachments.file_types import KINDS
from notifications.download import access, pages, proof
from notifications.download.opening import OpenedFile
from notifications.models import Attachment, AttachmentState, DownloadEvent, DownloadKind

PIECE_BYTES = 64 * 1024

log = structlog.get_logger()


@access.link_holders(*access.READING)
def landing(request: HttpRequest, file: OpenedFile) -> HttpResponse:
    """Show the page of the link. It changes nothing, because mail scanners follow links."""
    return pages.landing(file)


@access.link_holders(*access.READING)
def ready(request: HttpRequest, file: OpenedFile) -> HttpResponse:
    if not proof.is_enough(request, file):
        return access.SeeOther(file.url("confirm", **({"lost": "1"} if "confirmed" in request.GET else {})))
    try:
        return pages.ready(file)
    except DecryptionFailed:
        return _damaged(file, "name")


@access.link_holders(*access.READING)
def download(request: HttpRequest, file: OpenedFile) -> HttpResponseBase:
    """Return the whole file, or a page with the reason why it is not available."""
    if not proof.is_enough(request, file):
        return access.SeeOther(file.url("confirm"))
    row = file.row
    try:
        data = file.key.open(store.read(row.storage_name), service_id=row.service_id)
        name = pages.safe_name(file)
    except store.StoreAway as error:
        log.warning("attachment.store_away", attachment_id=str(row.pk), error=type(error.__cause__).__name__)
        return pages.away(file)
    except store.BlobMissing:
        return _gone_meanwhile(file) or _damaged(file, "missing")
    except BlobDamaged:
        return _damaged(file, "changed")
    except DecryptionFailed:
        return _damaged(file, "name")
    body = _counted(row, data) if request.method == "GET" else iter(())
    return StreamingHttpResponse(body, headers=_headers(name, KINDS[row.extension][0], len(data)))


@csrf_exempt
@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    access.forget_console(request)
    return HttpResponse("User-agent: *\nDisallow: /\n", content_type="text/plain")


def _headers(name: str, media_type: str, size_bytes: int) -> dict[str, str]:
    """Return headers that stop browsers from displaying the file: a text may contain HTML or a script."""
    return {
        "Content-Type": media_type,
        "Content-Length": str(size_bytes),
        "Content-Disposition": content_disposition_header(True, name) or "attachment",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Accept-Ranges": "none",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


def _counted(row: Attachment, data: bytes) -> Iterator[bytes]:
    """Yield the file in pieces. Count the download after the last piece."""
    for start in range(0, len(data), PIECE_BYTES):
        yield data[start : start + PIECE_BYTES]
    now = timezone.now()
    try:
        Attachment.objects.filter(pk=row.pk).update(download_count=F("download_count") + 1, last_download_at=now)
        DownloadEvent.objects.create(attachment=row, kind=DownloadKind.DOWNLOADED, at=now)
    except DatabaseError as error:  # the recipient has the file, so the response must not fail
        log.warning("attachment.download_uncounted", attachment_id=str(row.pk), error=type(error).__name__)


def _gone_meanwhile(file: OpenedFile) -> HttpResponse | None:
    """Return the page of a file that was withdrawn and deleted after this request read its row."""
    now = timezone.now()
    row = Attachment.objects.select_related("service").filter(pk=file.row.pk).first()
    if row is None or row.state(now) == AttachmentState.AVAILABLE:
        return None
    return pages.gone(OpenedFile(row=row, key=file.key), now)


def _damaged(file: OpenedFile, what: str) -> HttpResponse:
    log.error("attachment.damaged", attachment_id=str(file.row.pk), what=what)
    return pages.damaged(file)
