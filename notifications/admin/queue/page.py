"""The page *Queue and providers* and the page of one provider. Source: docs/reference/console.md §3.14."""

from functools import partial, wraps
from typing import Any  # values of templates

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from config.console import pages
from config.console.pages import OwnPages, View
from config.jobs import state
from notifications.admin import permissions
from notifications.admin.queue import actions, provider_rows, queues
from notifications.models import PauseKind, SendingPause


def queue(request: HttpRequest) -> HttpResponse:
    waiting, pauses = queues.wake_ups(), _pauses()
    work = queues.failed_work(waiting)
    return pages.show(
        request,
        "admin/notifications/queue.html",
        "Queue and providers",
        pauses=pauses.values(),
        queues=list(queues.rows(waiting, work, pauses)),
        is_queue_away=not waiting,
        failed=work,
        workers=queues.seen_workers(),
        missing=state.missing_processes(),
        providers=provider_rows.rows(pauses),
        is_sandbox_only=provider_rows.is_sandbox_only(),
        taken_at=timezone.now(),
    )


def provider(request: HttpRequest, name: str) -> HttpResponse:
    row = next((row for row in provider_rows.rows(_pauses()) if row.name == name), None)
    if row is None:
        raise Http404
    found: dict[str, Any] = {"provider": row, "results": provider_rows.newest_results(name), "taken_at": timezone.now()}
    return pages.show(request, "admin/notifications/provider.html", f"Provider {name}", **found)


def _pauses() -> dict[tuple[str, str], SendingPause]:
    return {(pause.kind, pause.name): pause for pause in SendingPause.objects.current().order_by("since")}


_PAUSING = [
    (f"{verb}/{kind.value}/<slug:name>/", wraps(view)(partial(view, kind=kind)), f"{verb}_{kind.value}")
    for verb, view in (("pause", actions.pause), ("resume", actions.resume))
    for kind in PauseKind
]
_PAGES: list[tuple[str, View, str]] = [
    ("providers/<slug:name>/", provider, "provider"),
    ("providers/<slug:name>/probe/", actions.probe, "probe"),
    *_PAUSING,
    ("retry/callbacks/", actions.retry_callbacks, "retry_callbacks"),
    ("retry/jobs/", actions.retry_jobs, "retry_jobs"),
    ("unreadable/delete/", actions.delete_unreadable, "delete_unreadable"),
]
PAGES = OwnPages(
    pages=(
        ("operations/queue/", queue, "queue"),
        *((f"operations/queue/{route}", view, f"queue_{name}") for route, view, name in _PAGES),
    ),
    is_open_to=permissions.is_operator,
)
