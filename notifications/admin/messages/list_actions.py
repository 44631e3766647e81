"""The actions above the log: each applies to all messages that the filters match."""

from collections.abc import Iterable, Mapping
from typing import Any  # the admin of the log, and the counters above it

from django.http import HttpRequest

from config.console.admin.row_actions import Button
from notifications.admin.messages import filters, send
from notifications.admin.messages.paging import NEWER, OLDER

RETRY_FAILED, CANCEL_SCHEDULED = "retry-failed", "cancel-scheduled"
EXPORT = "export"
_PAGING = (OLDER, NEWER, "p")


def buttons(model_admin: Any, request: HttpRequest, counters: Iterable[Mapping[str, Any]]) -> list[Button]:
    """Return the actions that this person may do and that apply to a message of the list."""
    query = request.GET.copy()
    for name in _PAGING:
        query.pop(name, None)
    suffix = f"?{query.urlencode()}" if query else ""
    numbers = {counter["title"]: counter["shown"] for counter in counters}
    found = []
    if numbers.get("Failed", "0") != "0" and send.may_send(request):
        found.append(Button("Retry failed…", url=f"{model_admin.url_of(RETRY_FAILED)}{suffix}"))
    if request.GET.get(filters.ScheduledFilter.parameter_name) == "yes" and send.may_send(request):
        found.append(Button("Cancel these messages…", url=f"{model_admin.url_of(CANCEL_SCHEDULED)}{suffix}"))
    found.append(Button("Download CSV…", url=f"{model_admin.url_of('download')}{suffix}"))
    return found
