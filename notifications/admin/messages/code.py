"""The request that creates a message, in code to copy. Source: docs/reference/console.md §2.10."""

from collections.abc import Mapping

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.shown_once import Snippet
from notifications.admin import permissions
from notifications.models import Channel, Notification, TemplateVersion
from notifications.rendering import placeholders
from notifications.submission.templates import examples, redaction

CODE = "code"
_TITLE = "View code"
_LANGUAGES = ("curl", "Python", "Node")
_HIDDEN = "[hidden]"
_REDACTED = "The template redacts personal details, so the values are hidden. Enter them yourself."
_UNKNOWN = "We do not store the values of the personalisation, so these are examples. Enter your own."
_MASKED = "You need the role “See recipients” to see the recipient, so the code has another one."


class CodeAction(ConsoleModelAdmin):
    """The page of one message with its request as code."""

    def code(self, request: HttpRequest, message: Notification) -> HttpResponse:
        may_see = permissions.may_see_recipients(request, message.service_id)
        known = _known_values(message)
        call = _call(message, known, recipient=message.recipient if may_see else "")
        remarks = []
        if call.personalisation and redaction.is_on(message):
            remarks.append(_REDACTED)
        elif call.personalisation and not known:
            remarks.append(_UNKNOWN)
        context = {
            **self.page_context(request, _TITLE, message),
            "remarks": remarks if may_see else [*remarks, _MASKED],
            "examples": [
                Snippet(language, examples.LANGUAGES[language](settings.BASE_URL, examples.PLACE_FOR_KEY, call))
                for language in _LANGUAGES
            ],
        }
        return TemplateResponse(request, "admin/notifications/message_code.html", context)


def _call(message: Notification, known: Mapping[str, object], *, recipient: str) -> examples.ExampleCall:
    """Return the request that creates the message. known: values by the key of their placeholder"""
    version = TemplateVersion.objects.get(template=message.template_id, number=message.template_version)
    names = placeholders.find(version.subject or "", version.content)
    is_redacted = redaction.is_on(message)
    options = {
        "reference": message.reference,
        "sms_sender_id": _chosen(message.sms_sender),
        "email_reply_to_id": _chosen(message.reply_to),
        "one_click_unsubscribe_url": message.one_click_unsubscribe_url,
    }
    return examples.ExampleCall(
        channel=Channel(message.channel),
        template_id=str(message.template_id),
        recipient=recipient,
        personalisation={
            name: known.get(placeholders.key(name), _HIDDEN if is_redacted else f"a {name}") for name in names
        },
        options={name: value for name, value in options.items() if value},
    )


def _known_values(message: Notification) -> Mapping[str, object]:
    """Return the values in the row of a bulk send, unless the template redacts them."""
    row = message.bulk_row
    if row is None or redaction.is_on(message):
        return {}
    cells = zip(row.bulk_send.names, row.cells, strict=False)
    return {placeholders.key(name): "" if cell is None else cell for name, cell in cells}


def _chosen(sender: object) -> str:
    """Return the id of a sender or reply-to address that is not the default."""
    return "" if sender is None or getattr(sender, "is_default", False) else str(getattr(sender, "pk", ""))
