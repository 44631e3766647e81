"""The ways to set a value: the console form, a provision document and, for some values, the API."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.test import Client
from django.urls import reverse

from config.areas import DocumentErrors
from notifications.management.provision.services import provision
from notifications.models import (
    ApiKey,
    CallbackEndpoint,
    Channel,
    GuestListEntry,
    ReplyToAddress,
    Service,
    SmsSender,
    TeamMember,
    Template,
    TemplateVersion,
)
from tests import factories
from tests.notifications.calling import make_caller, messages

_UNTOUCHED = 77  # the initial value of each number; it satisfies every rule
_DAYS = {"name": "Tides", "retention_days": _UNTOUCHED, "unsubscribe_request_days": _UNTOUCHED}
_LIMITS = {
    "rate_limit_per_minute": _UNTOUCHED,
    "daily_limit_email": _UNTOUCHED,
    "daily_limit_sms": _UNTOUCHED,
    "daily_limit_international_sms": _UNTOUCHED,
    "reason": "asked for",
}
NO_VERSIONS = {"versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One value of a service: the console's form for it, the document for it, and what both store.

    api: the channel of a send that takes the value as its recipient; of_service: the service that has the page
    """

    page: str
    form: Callable[[str], dict[str, Any]]
    document: Callable[[str], dict[str, Any]]
    stored: Callable[[], list[Any]]
    has_nonce: bool = False
    of_service: str = ""
    api: Channel | None = None


def _texts(model: Any, field: str) -> Callable[[], list[Any]]:
    return lambda: list(model.objects.order_by("pk").values_list(field, flat=True))


def _number(page: str, column: str, document: Callable[[int], dict[str, Any]], **others: Any) -> Way:
    """Return the way of a number that is a setting of the service."""
    return Way(
        page=page,
        form=lambda text: {**others, column: text},
        document=lambda text: document(int(text)),
        stored=lambda: [
            str(number) for number in Service.objects.values_list(column, flat=True) if number != _UNTOUCHED
        ],
        of_service="Tides",
    )


def _callback(**fields: str) -> dict[str, str]:
    return {"url": "https://127.0.0.1/hook", "bearer_token": "token-0123456789", **fields}


def _template(**words: str) -> dict[str, Any]:
    return {"type": "email", "name": "Letter", "subject": "Hi", "content": "Dear all", **words}


WAYS = {
    "sender": Way(
        page="smssender_add",
        form=lambda text: {"sender": text},
        document=lambda text: {"sms_senders": [{"sender": text}]},
        stored=_texts(SmsSender, "sender"),
    ),
    "reply-to": Way(
        page="replytoaddress_add",
        form=lambda text: {"email_address": text},
        document=lambda text: {"reply_to_addresses": [{"email_address": text}]},
        stored=_texts(ReplyToAddress, "email_address"),
    ),
    "service": Way(
        page="service_add",
        form=lambda text: {"name": text, "permissions": ["sms"]},
        document=lambda text: {"name": text, "permissions": ["sms"]},
        stored=lambda: sorted(Service.objects.exclude(name="Tides").values_list("name", flat=True)),
    ),
    "template name": Way(
        page="template_add",
        form=lambda text: {**_template(name=text), "note": "", "based_on": "", **NO_VERSIONS},
        document=lambda text: {"templates": [_template(name=text)]},
        stored=_texts(Template, "name"),
    ),
    "subject": Way(
        page="template_add",
        form=lambda text: {**_template(subject=text), "note": "", "based_on": "", **NO_VERSIONS},
        document=lambda text: {"templates": [_template(subject=text)]},
        stored=_texts(TemplateVersion, "subject"),
    ),
    "text": Way(
        page="template_add",
        form=lambda text: {**_template(type="sms", content=text), "note": "", "based_on": "", **NO_VERSIONS},
        document=lambda text: {"templates": [{"type": "sms", "name": "Letter", "content": text}]},
        stored=_texts(TemplateVersion, "content"),
    ),
    "key": Way(
        page="apikey_add",
        form=lambda text: {"name": text, "key_type": "test", "expires_at": "", "note": ""},
        document=lambda text: {"api_keys": [{"name": text, "type": "test"}]},
        stored=_texts(ApiKey, "name"),
        has_nonce=True,
    ),
    "member": Way(
        page="teammember_add",
        form=lambda text: {"email_address": text},
        document=lambda text: {"team": [{"email_address": text}]},
        stored=_texts(TeamMember, "email_address"),
        has_nonce=True,
        api=Channel.EMAIL,
    ),
    "member's number": Way(
        page="teammember_add",
        form=lambda text: {"email_address": "ana@example.org", "phone_number": text},
        document=lambda text: {"team": [{"email_address": "ana@example.org", "phone_number": text}]},
        stored=_texts(TeamMember, "phone_number"),
        has_nonce=True,
        api=Channel.SMS,
    ),
    "guest": Way(
        page="guestlistentry_add",
        form=lambda text: {"entries": text, "note": "", "save": "1"},
        document=lambda text: {"guest_list": {"phone_numbers": [text]}},
        stored=_texts(GuestListEntry, "value"),
        api=Channel.SMS,
    ),
    "contact": Way(
        page="service_file-page",
        form=lambda text: {"file_contact": text},
        document=lambda text: {"file_contact": text},
        stored=lambda: [contact for contact in Service.objects.values_list("file_contact", flat=True) if contact],
        of_service="Tides",
    ),
    "retention": _number("service_general", "retention_days", lambda days: {"retention_days": days}, **_DAYS),
    "unsubscribe requests": _number(
        "service_general", "unsubscribe_request_days", lambda days: {"unsubscribe_request_days": days}, **_DAYS
    ),
    "rate limit": _number(
        "service_limits", "rate_limit_per_minute", lambda rate: {"rate_limit_per_minute": rate}, **_LIMITS
    ),
    "daily limit": _number(
        "service_limits", "daily_limit_sms", lambda number: {"daily_limits": {"sms": number}}, **_LIMITS
    ),
    "callback URL": Way(
        page="callbackendpoint_add",
        form=lambda text: {"kind": "delivery_status", **_callback(url=text)},
        document=lambda text: {"callbacks": {"delivery_status": _callback(url=text)}},
        stored=_texts(CallbackEndpoint, "url"),
        has_nonce=True,
    ),
    "bearer token": Way(
        page="callbackendpoint_add",
        form=lambda text: {"kind": "delivery_status", **_callback(bearer_token=text)},
        document=lambda text: {"callbacks": {"delivery_status": _callback(bearer_token=text)}},
        stored=lambda: [endpoint.bearer_token for endpoint in CallbackEndpoint.objects.all()],
        has_nonce=True,
    ),
}


def make_service() -> Service:
    """Return the service of the values."""
    numbers = {name: number for name, number in {**_DAYS, **_LIMITS}.items() if number == _UNTOUCHED}
    return factories.make_service(name="Tides", live=False, **numbers)


def by_console(console: Client, way: Way, service: Service, text: str) -> str:
    """Post the form and return the response page."""
    if way.of_service:
        return _post(console, reverse(f"admin:notifications_{way.page}", args=[service.pk]), way.form(text))
    page = reverse(f"admin:notifications_{way.page}")
    form = {"service": str(service.pk), **way.form(text)}
    if way.has_nonce:
        form["nonce"] = re.findall(r'name="nonce" value="([^"]+)"', console.get(page).content.decode())[0]
    return _post(console, page, form)


def _post(console: Client, page: str, form: dict[str, Any]) -> str:
    return html.unescape(console.post(page, form, follow=True).content.decode())


def by_document(way: Way, text: str) -> list[str]:
    """Provision the value and return the lines of its errors."""
    errors = DocumentErrors()
    document = {"name": "Tides", **way.document(text)}
    with transaction.atomic():
        provision([document], errors)
        transaction.set_rollback(bool(errors.lines))
    return errors.lines


def by_api(channel: Channel, text: str) -> list[str]:
    """Send a message to the value and return the messages of the errors."""
    caller = make_caller()
    template = factories.make_template(caller.service, channel, content="Dear all")
    field = "email_address" if channel == Channel.EMAIL else "phone_number"
    answer = (caller.send_email if channel == Channel.EMAIL else caller.send_sms)(template, **{field: text})
    return [] if answer.status_code == 201 else messages(answer)
