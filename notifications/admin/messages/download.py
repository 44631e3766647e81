"""The CSV file of the log: streamed for few messages, else written by a job. Source: docs/reference/console.md §2.9."""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any  # the admin of the log, named tuples of columns, querysets of messages

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Value
from django.db.models.functions import Coalesce, NullIf
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from config.console import recent_sign_in
from config.console.admin import many_rows
from config.console.pages import file_response
from config.encryption import DecryptionFailed
from config.jobs.batch_size import MOST
from config.jobs.bulk import BulkJob
from config.jobs.models import BulkJobRun
from config.jobs.pace import Pace
from config.jobs.registry import Batch
from config.reading import read_uuid
from config.spreadsheets import csv_line
from notifications.admin import permissions
from notifications.admin.list_download import ListDownload
from notifications.admin.messages.paging import Place
from notifications.attachments import log_exports, store
from notifications.models import LogExport, Notification, Service
from notifications.models.log_export import KEPT_FOR

KIND = "download-messages"
MOST_AT_ONCE = 10_000
_BATCH_SECONDS = 0.1  # only reads the messages
_DAYS = KEPT_FOR.days


def _start(request: HttpRequest, number: int) -> HttpResponse:
    """Start the job that writes the file."""
    way_back = reverse("admin:notifications_notification_changelist")
    job = many_rows.new_job(request, KIND, total=number, way_back=way_back)
    if job.by is None:
        raise PermissionDenied
    LogExport.objects.get_or_create(
        pk=job.pk,
        defaults={
            "user": job.by,
            "service": permissions.chosen_service(request),
            "query": request.GET.urlencode(),
        },
    )
    return many_rows.in_background(request, job)


DOWNLOAD = ListDownload(
    noun="message",
    audit_verb="downloaded_messages",
    columns={
        "Created (UTC)": "created_at",
        "Recipient": "recipient",
        "Channel": "channel",
        "Status": "status",
        "Reference": "reference",
        "Service": "service__name",
        "Template": "template__name",
        "Template id": "template_id",
        "Template version": "template_version",
        "Sent by": Coalesce("api_key__name", "created_by"),
        "Key type": "key_type",
        "Provider": "provider",
        "Parts": NullIf("parts", Value(0)),
        "Sent (UTC)": "sent_at",
        "Completed (UTC)": "completed_at",
        "Message id": "id",
    },
    recipient="recipient",
    most_at_once=MOST_AT_ONCE,
    start=_start,
    of_job=f"A background job writes the file. You can download it for {_DAYS} days, and nobody else can.",
)


def answer(model_admin: Any, request: HttpRequest) -> HttpResponseBase:
    """Return the file of a job to the person who asked for it."""
    if not recent_sign_in.is_recent(request):
        return recent_sign_in.ask(request)
    export = _own(request)
    parts = log_exports.read(export)
    try:
        first = next(parts, b"")
    except (store.StoreAway, store.BlobMissing, DecryptionFailed):
        context = {
            **model_admin.page_context(request, "Download messages"),
            "error": "The file cannot be read at the moment. Try again later, or download the messages again.",
        }
        return TemplateResponse(request, "admin/action.html", context, status=503)
    return file_response(f"messages-{timezone.localdate(export.finished_at):%Y-%m-%d}.csv", chain([first], parts))


def _own(request: HttpRequest) -> LogExport:
    own = LogExport.objects.readable().filter(user=request.user.pk or 0)
    return get_object_or_404(own, pk=read_uuid(request.GET.get("id")))


# The job


def _write(run: BulkJobRun, pace: Pace) -> Iterator[Batch]:
    """Write the messages in parts, service by service and newest first, after the last part of an earlier task."""
    export = LogExport.objects.select_related("service", "user").get(pk=run.pk)
    request = _request_of(export)
    changelist: Any = admin.site.get_model_admin(Notification).get_changelist_instance(request)
    found = changelist.get_queryset(request)
    last = export.parts.order_by("-number").first()
    number = last.number + 1 if last else 0
    done_service, _, place = last.last.partition("/") if last else ("", "", "")
    if last is None:
        log_exports.write(export, number, csv_line(DOWNLOAD.columns), last="")
        number += 1
        yield Batch(number=0)
    for service in sorted(changelist.services, key=lambda one: str(one.pk)):
        if str(service.pk) < done_service:
            continue
        below = Place.parse(place) if place and str(service.pk) == done_service else None
        mine = found.filter(service=service, created_at__gte=service.kept_since()).order_by("-created_at", "-id")
        while rows := list(DOWNLOAD.rows(mine.filter(below.below()) if below else mine)[: pace.at_once]):
            below = Place(created_at=rows[-1].created_at, id=rows[-1].id)
            text = "".join(csv_line(DOWNLOAD.cells(row)) for row in rows)
            log_exports.write(export, number, text, last=f"{service.pk}/{below}")
            number += 1
            yield Batch(passed=len(rows), number=len(rows))


def _request_of(export: LogExport) -> HttpRequest:
    """Return a request for the list as the person sees it now, with the roles that they have now."""
    request = HttpRequest()
    request.method, request.user = "GET", export.user
    request.GET = QueryDict(export.query)
    chosen: Service | None = export.service
    request.chosen_service = chosen  # type: ignore[attr-defined]  # what `permissions.chosen_service` returns
    return request


def _link(run: BulkJobRun) -> tuple[str, str] | None:
    """Return the button of the job's page, until the file expires."""
    if not LogExport.objects.readable().filter(pk=run.pk).exists():
        return None
    return "Download CSV", f"{reverse('admin:notifications_notification_export')}?id={run.pk}"


DOWNLOAD_MESSAGES = BulkJob(
    name=KIND,
    verb="Download",
    noun="message",
    done="written to the file",
    work=_write,
    after=f"You can download it for {_DAYS} days.",
    at_end=lambda run: LogExport.objects.get(pk=run.pk).finish(),
    link=_link,
    new_pace=partial(Pace, _BATCH_SECONDS, first=MOST),
)
