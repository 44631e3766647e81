"""Pages that change a service's state between trial, live and archived.

Source: docs/reference/console.md §2.2.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from config import audit, formats
from config.console.typed_name import TypedNameForm
from config.queue import publishing
from notifications import tasks
from notifications.admin.go_live.forms import AskForm
from notifications.admin.service_rows import ServiceScopedAdmin, list_in_service, posted
from notifications.admin.services.forms import ReasonForm, lacks_reply_to
from notifications.admin.services.going_live import LinkTo, checks
from notifications.delivery.notices.go_live import volumes
from notifications.jobs import limits
from notifications.models import GoLiveRequest, GoLiveState, Service, ServiceLimit
from notifications.submission.bulk import change
from notifications.validation.daily_limits import new_daily_limits
from notifications.validation.services import NEEDS_REPLY_TO

ARCHIVED = "This service is archived. You cannot change it."


class StateSteps(ServiceScopedAdmin):
    """Steps on a service's page that change its state."""

    def go_live(self, request: HttpRequest, service: Service) -> HttpResponse:
        title = f"Make {service.name} live"
        stored = Service.objects.select_for_update().get(pk=service.pk)  # removing a reply-to address takes it too
        if not stored.live and lacks_reply_to(stored, live=True):
            where = f"{reverse('admin:notifications_replytoaddress_add')}?service={service.pk}"
            remedy = ("Add a reply-to address", where)
            return self.error_page(request, service, title, NEEDS_REPLY_TO, remedy=remedy)
        explanation = ["Live keys can then send to anyone.", _limits_text(service, live=True)]
        waiting = service.go_live_requests.waiting().first()
        if waiting is not None:
            explanation.append(f"{waiting.created_by} expects {volumes(waiting)}: {waiting.purpose}")
        shown = {
            "template": "admin/notifications/go_live.html",
            "checks": checks(service, self.links(request, service)),
        }
        return self._set_state(request, service, title, explanation, live=True, **shown)

    def ask_to_go_live(self, request: HttpRequest, service: Service) -> HttpResponse:
        """Show the checklist, and store the request of a team for the operators."""
        title = f"Ask to make {service.name} live"
        if not service.active or service.live:
            error = f"{service.name} is already live." if service.active else ARCHIVED
            return self.error_page(request, service, title, error)
        Service.objects.select_for_update().get(pk=service.pk)  # two people may ask at the same time
        if service.go_live_requests.waiting().exists():
            remedy = ("View request", list_in_service(request, service, GoLiveRequest))
            return self.error_page(request, service, title, "This service has already asked.", remedy=remedy)
        form = AskForm(posted(request), service=service)
        if request.method == "POST" and form.is_valid():
            row = form.save(commit=False)
            row.created_by, row.mail_at = audit.author(request), timezone.now()
            row.save()
            expected = {"emails_per_day": row.emails_per_day, "texts_per_day": row.texts_per_day}
            self.audit(request, "asked_for_live", service, after=expected, reason=row.purpose)
            publishing.enqueue(tasks.mail_notice, "go-live", str(row.pk))
            done = "Operators have your request. You get an email with their answer."
            return self.action_done(request, f"{self.row_url(service)}#state", done)
        return self.action_page(
            request,
            service,
            title,
            "Ask to go live",
            ["Operators see this list, too. You can ask before everything is ready."],
            form=form,
            template="admin/notifications/go_live.html",
            checks=checks(service, self.links(request, service)),
        )

    def links(self, request: HttpRequest, service: Service) -> LinkTo:
        return lambda label, model: (label, url) if (url := list_in_service(request, service, model)) else None

    def back_to_trial(self, request: HttpRequest, service: Service) -> HttpResponse:
        title = f"Return {service.name} to trial"
        explanation = [
            "Messages then reach only the team and the guest list, until you make the service live again.",
            _limits_text(service, live=False),
        ]
        return self._set_state(request, service, title, explanation, live=False)

    def archive(self, request: HttpRequest, service: Service) -> HttpResponse:
        title = f"Archive {service.name}"
        if not service.active:
            return self.error_page(request, service, title, ARCHIVED)
        form = TypedNameForm(posted(request), wanted=service.name)
        if request.method == "POST" and form.is_valid():
            Service.objects.filter(pk=service.pk).update(active=False, archived_at=timezone.now())
            self.audit(request, "archived", service, before={"active": True}, after={"active": False})
            change.cancel_all(service, audit.person(request))
            return self.action_done(request, self.list_url(), f"{service.name} is archived.")
        keys = service.api_keys.filter(revoked_at=None).count()
        explanation = [
            f"It has {formats.counted(keys, 'API key')} in use. All calls are then refused."
            if keys
            else "It has no API keys in use.",
            "Nothing is deleted. You can still read its templates, messages and settings.",
        ]
        button = f"Archive {service.name}"
        return self.action_page(request, service, title, button, explanation, form=form, is_destructive=True)

    def _set_state(
        self, request: HttpRequest, service: Service, title: str, explanation: list[str], *, live: bool, **shown: Any
    ) -> HttpResponse:
        button = "Make live" if live else "Return to trial"
        verb = "made_live" if live else "put_back_to_trial"
        error = ARCHIVED if not service.active else f"{service.name} is already {_word(live)}."
        if service.live is live or not service.active:
            return self.error_page(request, service, title, error)
        form = ReasonForm(posted(request))
        if request.method == "POST" and form.is_valid():
            untouched = limits.set_lasting(service, _untouched_limits(service, live=live))
            values: dict[str, Any] = {"live": live, **{limit.value: value for limit, value in untouched.items()}}
            before = {name: getattr(service, name) for name in values}
            Service.objects.filter(pk=service.pk).update(**values)
            reason = form.cleaned_data["reason"]
            self.audit(request, verb, service, before=before, after=values, reason=reason)
            if live:
                waiting = service.go_live_requests.waiting()
                asked = list(waiting.values_list("pk", flat=True))
                waiting.answer(GoLiveState.MADE_LIVE, text=reason, by=audit.author(request))
                for pk in asked:
                    publishing.enqueue(tasks.mail_notice, "go-live", str(pk))
            return self.action_done(request, self.row_url(service), f"{service.name} is now {_word(live)}.")
        return self.action_page(request, service, title, button, explanation, form=form, **shown)


def _untouched_limits(service: Service, *, live: bool) -> dict[ServiceLimit, int]:
    """Return the new values of the limits that still have their default. Limits that somebody set stay."""
    then, now = new_daily_limits(live=not live), new_daily_limits(live=live)
    lasting = limits.lasting(service)
    return {
        ServiceLimit(name): value for name, value in now.items() if value != then[name] == lasting[ServiceLimit(name)]
    }


def _limits_text(service: Service, *, live: bool) -> str:
    """Return all daily limits after the change, in words."""
    words = {
        "daily_limit_email": "email",
        "daily_limit_sms": "text message",
        "daily_limit_international_sms": "international text message",
    }
    lasting = {**limits.lasting(service), **_untouched_limits(service, live=live)}
    numbers = {name: lasting[ServiceLimit(name)] for name in words}
    numbers["daily_limit_international_sms"] = min(  # they count as text messages too
        numbers["daily_limit_sms"], numbers["daily_limit_international_sms"]
    )
    counted = [formats.counted(numbers[name], word) for name, word in words.items()]
    return f"It may then send {formats.listed(counted, 'and')} per day."


def _word(live: bool) -> str:
    return "live" if live else "in trial"
