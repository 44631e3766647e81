"""A change of all messages that the filters of the log match (trap T11).

The page shows the number of messages, and its form returns it. If the number has changed by then, nothing is done.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any  # querysets of messages

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from config import formats
from config.console.admin import many_rows
from config.jobs import bulk
from config.jobs.bulk import BulkJob
from notifications.admin import permissions
from notifications.admin.service_rows import kept
from notifications.models import Role

MOST_AT_ONCE = 100_000  # the job stores their ids
BACKGROUND_OVER = 100  # fewer than in other lists: each message is stored, counted and audited


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterAction:
    """A bulk job over the filtered messages of the services in which the person may send.

    button: the verb of the button
    narrowed: returns the messages to which the job applies
    nothing: the text if there are none
    """

    job: BulkJob
    title: str
    button: str
    narrowed: Callable[[Any], Any]
    nothing: str
    explanation: tuple[str, ...]
    is_destructive: bool = False

    def answer(self, model_admin: Any, request: HttpRequest) -> HttpResponse:
        """Show the number of messages, and start the job when the person confirms it."""
        if not permissions.may(request, Role.SEND_MESSAGES):
            raise PermissionDenied
        try:
            changelist = model_admin.get_changelist_instance(request)
        except IncorrectLookupParameters:
            return HttpResponseRedirect(model_admin.list_url())
        own = [one for one in changelist.services if permissions.may_in(request, one.pk, [Role.SEND_MESSAGES])]
        rows = self.narrowed(changelist.get_queryset(request).filter(kept(own)))
        found = list(rows.order_by("-created_at", "-id").values_list("pk", flat=True)[: MOST_AT_ONCE + 1])
        pks = [str(pk) for pk in found[:MOST_AT_ONCE]]
        if request.method == "POST" and pks and request.POST.get("number") == str(len(pks)):
            return self._start(model_admin, request, pks)
        named = formats.counted(len(pks), self.job.noun)
        counted = f"The list has {named}."
        if len(found) > MOST_AT_ONCE:
            counted = f"The list has more than {named}. This changes the newest {formats.number(MOST_AT_ONCE)} of them."
        query = f"?{request.GET.urlencode()}" if request.GET else ""
        context = {
            **model_admin.page_context(request, self.title),
            "explanation": [counted, *self.explanation],
            "error": "" if pks else self.nothing,
            "number": len(pks),
            "differs": request.method == "POST",
            "is_in_background": len(pks) > BACKGROUND_OVER,
            "button": f"{self.button} {named}",
            "is_destructive": self.is_destructive,
            "job_id": uuid.uuid4(),
            "list_url": f"{model_admin.list_url()}{query}",
        }
        return TemplateResponse(request, "admin/notifications/message_filter_action.html", context)

    def _start(self, model_admin: Any, request: HttpRequest, pks: list[str]) -> HttpResponse:
        way_back = model_admin.list_url()
        job = many_rows.new_job(request, self.job.name, rows=pks, total=len(pks), way_back=way_back)
        if len(pks) > BACKGROUND_OVER:
            return many_rows.in_background(request, job)
        messages.success(request, bulk.do_now(job))
        return HttpResponseRedirect(way_back)
