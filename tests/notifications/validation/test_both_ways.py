"""Every value runs through both entry points: the console's form and a provision document judge it alike."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from config.management.parts import Faults
from notifications.management.provision import provision
from notifications.models import (
    ApiKey,
    GuestListEntry,
    ReplyToAddress,
    Service,
    SmsSender,
    TeamMember,
    Template,
    TemplateVersion,
)
from tests import factories

pytestmark = pytest.mark.django_db

NO_VERSIONS = {"versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One value of a service: the console's form for it, the document for it, and what both store."""

    page: str
    form: Callable[[str], dict[str, Any]]
    document: Callable[[str], dict[str, Any]]
    stored: Callable[[], list[Any]]
    has_nonce: bool = False
    of_service: str = ""


def _texts(model: Any, field: str) -> Callable[[], list[Any]]:
    return lambda: list(model.objects.order_by("pk").values_list(field, flat=True))


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
        form=lambda text: {"name": text, "key_type": "test", "expires_at_0": "", "expires_at_1": "", "note": ""},
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
    ),
    "member's number": Way(
        page="teammember_add",
        form=lambda text: {"email_address": "ana@example.org", "phone_number": text},
        document=lambda text: {"team": [{"email_address": "ana@example.org", "phone_number": text}]},
        stored=_texts(TeamMember, "phone_number"),
        has_nonce=True,
    ),
    "guest": Way(
        page="guestlistentry_add",
        form=lambda text: {"entries": text, "note": "", "save": "1"},
        document=lambda text: {"guest_list": {"phone_numbers": [text]}},
        stored=_texts(GuestListEntry, "value"),
    ),
    "contact": Way(
        page="service_file-page",
        form=lambda text: {"file_contact": text},
        document=lambda text: {"file_contact": text},
        stored=lambda: [contact for contact in Service.objects.values_list("file_contact", flat=True) if contact],
        of_service="Tides",
    ),
}

GOOD = [
    ("sender", "PIGEON", "PIGEON"),
    ("sender", " Pier & Co. ", "Pier & Co."),
    ("sender", "60006", "60006"),
    ("sender", "12345678901", "12345678901"),
    ("sender", "07700 900 123", "07700 900 123"),
    ("sender", "+44 7700 900123", "+44 7700 900123"),
    ("sender", "447700900123", "447700900123"),
    ("reply-to", "Help@Example.org", "Help@Example.org"),
    ("service", " Llyfrgell Ŵy ", "Llyfrgell Ŵy"),
    ("service", "Допомога", "Допомога"),
    ("template name", "Llythyr 1 – cais", "Llythyr 1 – cais"),
    ("subject", "Hi ((name))", "Hi ((name))"),
    ("text", "k" * 918, "k" * 918),
    ("text", "((x))" + "k" * 918, "((x))" + "k" * 918),
    ("key", "pay-app_1", "pay-app_1"),
    ("member", "Ana@example.org", "Ana@example.org"),
    ("member's number", "+44 7700 900201", "+44 7700 900201"),
    ("guest", "07700 900301", "07700 900301"),
    ("contact", "https://example.org/help", "https://example.org/help"),
    ("contact", "101", "101"),
]

BAD = [
    ("sender", "AB", "Use 3 to 11 characters, or a valid phone number; this has 2."),
    ("sender", "123456789012", "Use 3 to 11 characters, or a valid phone number; this has 12."),
    ("sender", "1234567890123", "Use 3 to 11 characters, or a valid phone number; this has 13."),
    ("sender", "00447700900123", "Enter a sender that does not begin with 00: networks replace it."),
    ("sender", "+123456", "+ is not allowed here: use letters, digits, spaces or & . - _"),
    ("sender", "PI\u202eER", "U+202E is not allowed here: use letters, digits, spaces or & . - _"),
    ("sender", "PIЕR", "Е (cyrillic capital letter ie) is not allowed here: use letters, digits, spaces or & . - _"),
    ("sender", "---", "Use at least one letter or digit."),
    ("reply-to", "help@", "Enter an email address in the correct format, like name@example.com"),
    ("service", "TIDES", "There is a service of this name already."),
    ("service", "Buses\nTrams", "Enter this on one line, without line breaks."),
    ("service", "Bu\u202eses", "Remove the character that cannot be seen: U+202E (right-to-left override)."),
    ("service", "Busеs", "Use letters of one alphabet: “Busеs” mixes Cyrillic and Latin."),
    ("template name", "Let\u200bter", "Remove the character that cannot be seen: U+200B (zero width space)."),
    ("template name", "Lеtter", "Use letters of one alphabet: “Lеtter” mixes Cyrillic and Latin."),
    ("subject", " ", "Write a subject."),
    ("subject", "Hi\nthere", "A subject stands on one line. Take the line break out."),
    ("text", " \n ", "Write the message."),
    ("text", "k" * 919, "The message is 1 character over the limit of 918."),
    ("text", "k" * 2000, "The message is 1082 characters over the limit of 918."),
    ("key", "pay app", "A space is not allowed here: use letters, digits, _ and -"),
    ("key", "päy", "ä is not allowed here: use letters, digits, _ and -"),
    ("member", "ana@", "Not a valid email address"),
    ("member's number", "077009002011", "Too many digits"),
    ("member's number", "07700 90020", "Not enough digits"),
    ("member's number", "call me", "Must not contain letters or symbols"),
    ("guest", "+9991234567", "Not a valid country prefix"),
    ("contact", "http://example.org", "Enter a link that begins with https://, an email address, or a phone number."),
    ("contact", "999", "Phone number cannot be an emergency number"),
]

TWICE = [
    ("sender", "PIGEON", "pigeon", "This sender already exists."),
    ("sender", "07700 900123", "+44 7700 900123", "This sender already exists."),
    ("reply-to", "A@example.org", "a@example.org", "This address already exists."),
    ("key", "pay-app", "pay-app", "An active key with this name already exists."),
    ("service", "Buses", "BUSES", "There is a service of this name already."),
    ("service", "Ŵy", "ŵy", "There is a service of this name already."),
]


def _ids(table: list[Any]) -> list[str]:
    return [f"{row[0]}: {row[1][:20]!a} {number}" for number, row in enumerate(table)]


@pytest.fixture
def service() -> Service:
    return factories.make_service(name="Tides", live=False)


def by_console(console: Client, way: Way, service: Service, text: str) -> str:
    """Post the form; return the page that comes back."""
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
    """Provision the value; return the lines of its faults."""
    faults = Faults()
    document = {"name": "Tides", **way.document(text)}
    with transaction.atomic():
        provision([document], faults)
        transaction.set_rollback(bool(faults.lines))
    return faults.lines


@pytest.mark.parametrize(("name", "text", "stored"), GOOD, ids=_ids(GOOD))
def test_a_good_value_is_stored_alike(console, service, name, text, stored):
    way = WAYS[name]
    with transaction.atomic():
        by_console(console, way, service, text)
        from_console = way.stored()
        transaction.set_rollback(True)

    assert by_document(way, text) == []
    assert way.stored() == from_console == [stored]


@pytest.mark.parametrize(("name", "text", "reason"), BAD, ids=_ids(BAD))
def test_a_bad_value_is_refused_in_the_same_words(console, service, name, text, reason):
    way = WAYS[name]

    page, lines = by_console(console, way, service, text), by_document(way, text)

    assert reason in page
    assert [line.partition(": ")[2] for line in lines] == [reason]
    assert way.stored() == []


@pytest.mark.parametrize(("name", "first", "second", "reason"), TWICE, ids=_ids(TWICE))
def test_a_double_is_refused_in_the_same_words(console, service, name, first, second, reason):
    way = WAYS[name]
    assert by_document(way, first) == []

    if name != "key":  # a document finds a key by its name, and changes nothing
        assert [line.partition(": ")[2] for line in by_document(way, second)] == [reason]
    assert reason in by_console(console, way, service, second)
    assert len(way.stored()) == 1
