"""The queue of requests to go live. The page of a service makes it live; here operators send requests back.

Source: docs/reference/console.md §3.10.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from config import audit, formats
from config.console import cells
from config.console.admin import Button
from config.console.admin.columns import column
from config.console.sections import Fact, Section
from config.queue import publishing
from notifications import tasks
from notifications.admin import permissions
from notifications.admin.go_live.forms import NoteForm
from notifications.admin.service_rows import ServiceRowAdmin, ServiceScopedAdmin, posted
from notifications.delivery.notices.go_live import volumes
from notifications.models import GoLiveRequest, GoLiveState, Role, Service

_TONES = {
    GoLiveState.WAITING: "warn",
    GoLiveState.MADE_LIVE: "good",
    GoLiveState.SENT_BACK: "bad",
    GoLiveState.WITHDRAWN: "",
}


@admin.register(GoLiveRequest)
class GoLiveRequestAdmin(ServiceRowAdmin):
    """Managers see and withdraw the requests of their service. Operators answer them."""

    may_add = False  # the page of the service asks
    page_template = "admin/sections.html"
    change_roles = frozenset({Role.MANAGE_SERVICE})
    list_display = ("asked", "expected", "purpose", "shown_state", "answered")
    list_filter = ("state",)
    ordering = ("-created_at",)
    sortable_by = ()
    row_actions = {"send-back": "send_back", "withdraw": "withdraw"}
    empty = "No requests to go live. The team of a service in trial asks on the page of its settings."

    def list_buttons(self, request: HttpRequest, changelist: Any) -> list[Button]:
        """Lead the team of a service in trial to the page that asks, or that makes it live."""
        service, page = permissions.chosen_service(request), admin.site.get_model_admin(Service)
        if not isinstance(page, ServiceScopedAdmin) or service is None or service.live or not service.active:
            return []
        labels = {"go-live": "Go live…", "ask-to-go-live": "Ask to go live…"}
        allowed = (word for word in labels if page.may_do(request, word, service))
        return [Button(labels[word], url=page.url_of(word, service)) for word in allowed][:1]

    def may_do(self, request: HttpRequest, word: str, obj: Any) -> bool:
        if word == "send-back":
            return permissions.is_operator(request)
        return super().may_do(request, word, obj)

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        if obj.state != GoLiveState.WAITING:
            return []
        page: Any = admin.site.get_model_admin(Service)
        url = page.url_of("go-live", obj.service) if page.may_do(request, "go-live", obj.service) else ""
        own = Button("Send back with a note…", "send-back"), Button("Withdraw…", "withdraw")
        return [*([Button("Make live…", url=url)] if url else []), *own]

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        facts: tuple[Fact, ...] = (
            Fact("Service", obj.service.name),
            Fact("State", self.shown_state(obj)),
            Fact("Expected", volumes(obj)),
            Fact("Purpose", obj.purpose),
            Fact("Asked", cells.moment(obj.created_at), _by(obj.created_by)),
        )
        if obj.answered_at:
            facts += (
                Fact("Answered", cells.moment(obj.answered_at), _by(obj.answered_by)),
                Fact("Note", obj.answer or "–"),
            )
        return {"sections": [Section(slug="request", title="Request", facts=facts)]}

    def send_back(self, request: HttpRequest, row: GoLiveRequest) -> HttpResponse:
        title = f"Send back the request of {row.service.name}"
        if row.state != GoLiveState.WAITING:
            return self.error_page(request, row, title, _over(row))
        form = NoteForm(posted(request))
        if request.method == "POST" and form.is_valid():
            self._answer(request, row, GoLiveState.SENT_BACK, "sent_back", form.cleaned_data["note"])
            return self.action_done(request, self.list_url(), f"The request of {row.service.name} is sent back.")
        explanation = ["The people who manage the service get an email with your note, and may ask again."]
        return self.action_page(request, row, title, "Send back", explanation, form=form)

    def withdraw(self, request: HttpRequest, row: GoLiveRequest) -> HttpResponse:
        title = f"Withdraw the request of {row.service.name}"
        if row.state != GoLiveState.WAITING:
            return self.error_page(request, row, title, _over(row))
        if request.method == "POST":
            self._answer(request, row, GoLiveState.WITHDRAWN, "withdrew", "")
            return self.action_done(request, self.list_url(), "The request is withdrawn.")
        explanation = ["Operators no longer see it. You can ask again at any time."]
        return self.action_page(request, row, title, "Withdraw request", explanation)

    # Columns

    asked = column("Asked", lambda row: cells.named(cells.moment_by(row.created_at, row.created_by), row.service.name))
    expected = column("Expected", lambda row: volumes(row))
    shown_state = column("State", lambda row: cells.chip(row.get_state_display(), _TONES[GoLiveState(row.state)]))
    answered = column("Answered", lambda row: cells.moment_by(row.answered_at, row.answered_by))

    def _answer(self, request: HttpRequest, row: GoLiveRequest, state: GoLiveState, verb: str, text: str) -> None:
        if GoLiveRequest.objects.filter(pk=row.pk).answer(state, text=text, by=audit.author(request)):
            self.audit(request, verb, row, before={"state": row.state}, after={"state": state.value}, reason=text)
            publishing.enqueue(tasks.mail_notice, "go-live", str(row.pk))


def _over(row: GoLiveRequest) -> str:
    when = formats.spoken(row.answered_at) if row.answered_at else "earlier"
    return f"This request no longer waits. Since {when} its state is “{row.get_state_display()}”."


def _by(person: str) -> str:
    return f"by {person}" if person else ""
