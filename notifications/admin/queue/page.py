"""The page *Queue and providers* and the page of one provider. Source: docs/reference/console.md §3.14."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any  # views with different arguments, values of templates

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone

from config.console import pages
from config.console.pages import OwnPages, View
from config.jobs import state
from notifications.admin import permissions
from notifications.admin.queue import actions, pause_notes, provider_rows, queues
from notifications.models import PauseKind, SendingPause


def queue(request: HttpRequest) -> HttpResponse:
    waiting, pauses = queues.wake_ups(), _pauses()
    work = queues.failed_work(waiting)
    context: dict[str, Any] = {
        "pauses": pause_notes.notes(request),
        "queues": list(queues.rows(waiting, work, pauses)),
        "is_queue_away": not waiting,
        "failed": work,
        "workers": queues.seen_workers(),
        "missing": state.missing_processes(),
        "providers": provider_rows.rows(pauses),
        "is_sandbox_only": provider_rows.is_sandbox_only(),
        "taken_at": timezone.now(),
    }
    return pages.show(request, "admin/notifications/queue.html", "Queue and providers", **context)


def provider(request: HttpRequest, name: str) -> HttpResponse:
    row = next((row for row in provider_rows.rows(_pauses()) if row.name == name), None)
    if row is None:
        raise Http404
    context: dict[str, Any] = {
        "provider": row,
        "results": provider_rows.newest_results(name),
        "taken_at": timezone.now(),
    }
    return pages.show(request, "admin/notifications/provider.html", f"Provider {name}", **context)


def _pauses() -> dict[tuple[str, str], SendingPause]:
    return {(pause.kind, pause.name): pause for pause in SendingPause.objects.current()}


def _for_operators(view: Any) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponseBase:
        if not permissions.is_operator(request):
            raise PermissionDenied
        answer: HttpResponseBase = view(request, *args, **kwargs)
        return answer

    return guarded


def _urls(signed_in: Callable[[View], View]) -> list[URLPattern]:
    """Return the pages. signed_in: wraps a view that needs a signed-in person"""

    def page(route: str, view: View, name: str) -> URLPattern:
        return path(f"operations/queue/{route}", signed_in(_for_operators(view)), name=name)

    pausing = [
        page(f"{verb}/{kind.value}/<slug:name>/", wraps(view)(partial(view, kind=kind)), f"queue_{verb}_{kind.value}")
        for verb, view in (("pause", actions.pause), ("resume", actions.resume))
        for kind in PauseKind
    ]
    return [
        page("", queue, "queue"),
        page("providers/<slug:name>/", provider, "queue_provider"),
        page("providers/<slug:name>/probe/", actions.probe, "queue_probe"),
        *pausing,
        page("retry/callbacks/", actions.retry_callbacks, "queue_retry_callbacks"),
        page("retry/jobs/", actions.retry_jobs, "queue_retry_jobs"),
        page("unreadable/delete/", actions.delete_unreadable, "queue_delete_unreadable"),
    ]


PAGES = OwnPages(urls=_urls)
