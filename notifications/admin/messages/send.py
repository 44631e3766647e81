"""The page that sends one message by hand. It runs the API's code for checks and sending.

Source: docs/reference/console.md §2.11.
"""

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from config import audit, formats
from config.console import shown_once
from config.console.shown_once import AlreadyShown
from notifications import errors
from notifications.admin import permissions
from notifications.admin.messages import page, replying, send_dry_run
from notifications.admin.messages.copying import own_recipient
from notifications.admin.messages.send_forms import SendForm
from notifications.admin.templates import choice
from notifications.attachments.scanning import NoVerdict
from notifications.attachments.store import StoreAway
from notifications.delivery import providers
from notifications.models import (
    Channel,
    GuestListEntry,
    KeyType,
    LimitKind,
    Notification,
    RecipientKind,
    Role,
    Service,
    TemplateVersion,
)
from notifications.submission import limits, ttl_cache
from notifications.submission.callers import ConsoleSender
from notifications.submission.requests import RequestPart
from notifications.submission.sending import dry_run, submit
from notifications.submission.sending.checks import Checked, Submission
from notifications.submission.sending.dry_run import DryRun
from notifications.submission.templates import TemplateText

CHANGED = "The message has changed since you checked it. Check the preview, then send it."
AWAY = "The files cannot be checked or stored at the moment. Nothing was sent. Try again in a minute."
_MOST_GUESTS = 100
_LIMITS = {Channel.EMAIL: LimitKind.EMAIL, Channel.SMS: LimitKind.SMS}
_RECIPIENTS = {Channel.EMAIL: RecipientKind.EMAIL, Channel.SMS: RecipientKind.PHONE}


def may_send(request: HttpRequest) -> bool:
    """Return whether this person may send for the chosen service, or for any service if all are shown."""
    return permissions.may(request, Role.SEND_MESSAGES)


class SendPage:
    """One request: GET shows the form, *Check* renders the message, *Send* sends it as the API does.

    While a person types, the page asks for a draft: the message with what is typed so far.
    """

    def __init__(self, model_admin: Any, request: HttpRequest) -> None:
        self._admin, self._request = model_admin, request
        self._asked_for = request.POST.get("template") or request.GET.get("template") or ""
        self._language = request.POST.get("language") or request.GET.get("language") or ""
        self._reply_to = replying.asked_for(request)

    def answer(self) -> HttpResponse:
        if not self._asked_for:
            if not self._reply_to and not may_send(self._request):
                raise PermissionDenied
            return self._page(None)
        version = choice.newest_version(self._request, self._asked_for)
        if not permissions.may_in(self._request, version.template.service_id, [Role.SEND_MESSAGES]):
            raise PermissionDenied
        if self._reply_to:
            replying.check_template(self._reply_to, version.template)
        self._service: Service = version.template.service
        if self._request.method != "POST":
            return self._page(self._form(version))
        if (chosen := self._request.POST.get("use")) and not self._reply_to:
            return self._page(self._form(version, initial=self._with_recipient(version, chosen)))
        form = self._form(version, self._request.POST, self._request.FILES)
        if "draft" in self._request.POST:
            return TemplateResponse(self._request, "admin/notifications/send_draft.html", form.draft())
        if not form.is_valid():
            return self._page(form)
        ttl_cache.clear()  # else the cache could return the template as it was a second ago
        if "dry_run" in self._request.POST:
            return self._dry_run(form)
        return self._send(form) if "send" in self._request.POST else self._check(form)

    def _with_recipient(self, version: TemplateVersion, chosen: str) -> dict[str, Any]:
        """Return the submitted form with the recipient of the button that was pressed."""
        typed = self._request.POST
        ticks = {name: name in typed for name in SendForm.tick_names(version, self._text(version))}
        suggested = self._suggested(chosen, Channel(version.template.type))
        return {**{name: typed[name] for name in typed}, **ticks, "recipient": suggested or typed.get("recipient", "")}

    # The buttons

    def _check(self, form: SendForm, note: str = "") -> HttpResponse:
        check = submit.check_email if form.channel is Channel.EMAIL else submit.check_sms
        checked: Checked | None = self._tried(form, check)
        return self._page(form) if checked is None else self._page(form, checked=checked, note=note)

    def _dry_run(self, form: SendForm) -> HttpResponse:
        """Show the result of every check. Nothing is stored, sent or counted."""
        person, part = self._person(form), RequestPart(request=form.request())
        try:
            if form.channel is Channel.EMAIL:
                url = f"{settings.BASE_URL}/unsubscribe/preview"
                return self._page(form, run=dry_run.check_email(person, part, unsubscribe_url=url))
            return self._page(form, run=dry_run.check_sms(person, part))
        except (NoVerdict, StoreAway):
            form.add_error(None, AWAY)
            return self._page(form)

    def _send(self, form: SendForm) -> HttpResponse:
        if form.fingerprint() != self._request.POST.get("checked"):
            return self._check(form, note=CHANGED)

        def keep(submission: Submission) -> None:
            shown_once.spend(self._request)
            if not submission.repeat_of:
                self._audit(submission.notification, form)

        send = submit.submit_email if form.channel is Channel.EMAIL else submit.submit_sms
        try:
            submission: Submission | None = self._tried(form, partial(send, keep=keep))
        except AlreadyShown:
            return self._sent_before(form)
        if submission is None:
            return self._page(form)
        if submission.repeat_of:
            messages.info(self._request, "Not sent: this message with the same reference was sent before.")
        return self._sent(submission.notification)

    def _tried(self, form: SendForm, call: Callable[..., Any]) -> Any:  # Any: the result of the call
        """Return the result of a call of the API's code, or add its error to the form and return None."""
        person = self._person(form)
        try:
            limits.check(person, _LIMITS[form.channel])
            return call(person, form.request())
        except errors.NotificationError as error:
            form.add_api_error(error, pages_for_trial=self._pages_for_trial())
        except (NoVerdict, StoreAway):
            form.add_error(None, AWAY)
        return None

    def _sent(self, notification: Notification) -> HttpResponse:
        if not Notification.objects.filter(pk=notification.pk).exists():
            done = "All checks passed. Nothing is stored or sent for a simulated recipient."
            messages.success(self._request, done)
            again = urlencode({"template": self._asked_for, **({"language": self._language} if self._language else {})})
            return HttpResponseRedirect(f"{self._admin.url_of('send')}?{again}")
        if self._reply_to and notification.key_type != KeyType.TEST:
            messages.success(self._request, "The reply is accepted. It appears below.")
            return HttpResponseRedirect(replying.conversation_url(self._reply_to))
        return HttpResponseRedirect(self._admin.row_url(notification))

    def _sent_before(self, form: SendForm) -> HttpResponse:
        """Redirect a second click to the message that the first click sent, if it can be found."""
        named = form.cleaned_data["reference"]
        mine = {"service": self._service, "reference": named, "created_by": audit.author(self._request)}
        first = Notification.objects.filter(**mine).order_by("-created_at").first() if named else None
        repeated = "You sent this form twice. Only one message was created."
        messages.info(self._request, repeated)
        return HttpResponseRedirect(self._admin.row_url(first) if first else self._admin.list_url())

    # Parts

    def _person(self, form: SendForm) -> ConsoleSender:
        return ConsoleSender(service=self._service, key_type=form.key_type, name=audit.author(self._request))

    def _audit(self, notification: Notification, form: SendForm) -> None:
        """Audit the sending with its template, without recipient and content."""
        version = form.version
        after = {"name": version.name, "version": version.number, "key_type": notification.key_type}
        self._admin.audit(self._request, "sent", notification, after=after)

    def _pages_for_trial(self) -> dict[str, str]:
        """Return the pages where this person can add recipients to a service in trial: title → URL."""
        pages = {"guest list": ("guestlistentry", Role.MANAGE_API), "team": ("teammember", Role.MANAGE_SERVICE)}
        return {
            title: reverse(f"admin:notifications_{model}_changelist")
            for title, (model, role) in pages.items()
            if permissions.may_in(self._request, self._service.pk, [role])
        }

    def _form(self, version: TemplateVersion, *args: Any, **kwargs: Any) -> SendForm:
        name = self._request.user.get_username()
        given = {"service": version.template.service, "version": version, "user_name": name, **kwargs}
        return SendForm(*args, text=self._text(version), reply_to=self._reply_to, **given)

    def _text(self, version: TemplateVersion) -> TemplateText:
        return choice.text_in(version, self._language)

    def _languages(self, form: SendForm) -> list[dict[str, Any]]:
        parameters = {"template": str(form.version.template_id)}
        if self._reply_to:
            parameters[replying.PARAMETER] = str(self._reply_to.pk)
        return choice.languages(form.version, form.text, parameters)

    def _suggested(self, chosen: str, channel: Channel) -> str:
        """Return the recipient of the button that was pressed."""
        if chosen == "me":
            return own_recipient(self._request, self._service, channel)
        guests = {str(guest.pk): guest.value for guest in self._guests(channel)}
        return guests.get(chosen, "")

    def _guests(self, channel: Channel) -> list[GuestListEntry]:
        """Return the guest list if this person may see recipients."""
        if not permissions.may_see_recipients(self._request, self._service):
            return []
        return list(self._service.guest_list.filter(kind=_RECIPIENTS[channel]).order_by("value")[:_MOST_GUESTS])

    def _page(
        self,
        form: SendForm | None,
        *,
        checked: Checked | None = None,
        run: DryRun | None = None,
        note: str = "",
    ) -> HttpResponse:
        context = {**self._admin.page_context(self._request, "Send a message"), "form": form, "note": note}
        context["opts"] = None  # the menu has its own entry for this page
        status = 200
        if self._reply_to:
            context |= replying.context(self._request, self._reply_to)
        if form is None:
            context |= choice.templates(self._request, reply_to=self._reply_to)
        else:
            status = 422 if form.errors else 200
            context |= {
                "template": form.version.template,
                "version": form.version,
                "language": choice.language_of(form.text, form.version),
                "languages": self._languages(form),
                "service": self._service,
                "me": own_recipient(self._request, self._service, form.channel),
                "guests": self._guests(form.channel),
                "nonce": self._request.POST.get(shown_once.FIELD) or shown_once.new_nonce(self._request),
                "checked": checked,
                "may_see_recipients": permissions.may_see_recipients(self._request, self._service),
            }
        if form is not None and checked is not None:
            shown = {**page.shown(checked.submission.notification), "sent_from": checked.submission.sent_from}
            context |= {"button": self._truth(checked), "fingerprint": form.fingerprint(), **shown}
        if run is not None:
            context |= {"run": run, **send_dry_run.context(run)}
        elif form is not None and checked is None:
            context |= form.draft()
        return TemplateResponse(self._request, "admin/notifications/send.html", context, status=status)

    def _truth(self, checked: Checked) -> str:
        """Return the button's text, which states the number of messages, the recipient and the provider."""
        notification = checked.submission.notification
        if checked.is_simulated:
            return "Check 1 message to a simulated recipient (nothing is sent)"
        if notification.key_type == KeyType.TEST:
            return "Send 1 test (nothing is really sent)"
        kind = Channel(notification.channel).noun
        through = next(iter(providers.names_for(Channel(notification.channel))), "none takes it yet")
        recipient = permissions.shown(notification.recipient, is_shown_whole=False)
        to, how = f"1 {kind} to {recipient}", f"(real, provider {through})"
        waits_until = notification.quiet_until or notification.scheduled_for
        return f"Schedule {to} for {formats.spoken(waits_until)} {how}" if waits_until else f"Send {to} {how}"
