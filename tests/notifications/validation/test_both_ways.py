"""Console form, provision document and API apply the same rules to every value."""

from typing import Any

import pytest
from django.db import transaction

from notifications.models import Service
from tests.notifications.validation.ways import WAYS, by_api, by_console, by_document, make_service

pytestmark = pytest.mark.django_db

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
    ("retention", "3", "3"),
    ("retention", "90", "90"),
    ("unsubscribe requests", "730", "730"),
    ("rate limit", "1", "1"),
    ("daily limit", "0", "0"),
    ("daily limit", "2147483647", "2147483647"),
    ("callback URL", "https://127.0.0.1/hook", "https://127.0.0.1/hook"),
    ("bearer token", "0123456789", "0123456789"),
]

BAD = [
    ("sender", "AB", "Use 3 to 11 characters, or a valid phone number. You entered 2."),
    ("sender", "123456789012", "Use 3 to 11 characters, or a valid phone number. You entered 12."),
    ("sender", "1234567890123", "Use 3 to 11 characters, or a valid phone number. You entered 13."),
    ("sender", "00447700900123", "Enter a sender that does not begin with 00: networks replace it."),
    ("sender", "+123456", "+ is not allowed here: use letters, digits, spaces or & . - _"),
    ("sender", "PI\u202eER", "U+202E is not allowed here: use letters, digits, spaces or & . - _"),
    ("sender", "PIЕR", "Е (cyrillic capital letter ie) is not allowed here: use letters, digits, spaces or & . - _"),
    ("sender", "---", "Use at least one letter or digit."),
    ("reply-to", "help@", "Enter an email address in the correct format, like name@example.com"),
    ("service", "TIDES", "A service with this name already exists."),
    ("service", "Buses\nTrams", "Enter this on one line, without line breaks."),
    ("service", "Bu\u202eses", "Remove the character that cannot be seen: U+202E (right-to-left override)."),
    ("service", "Busеs", "Use letters of one alphabet: “Busеs” mixes Cyrillic and Latin."),
    ("template name", "Let\u200bter", "Remove the character that cannot be seen: U+200B (zero width space)."),
    ("template name", "Lеtter", "Use letters of one alphabet: “Lеtter” mixes Cyrillic and Latin."),
    ("subject", " ", "Enter a subject."),
    ("subject", "Hi\nthere", "Enter the subject on one line, without line breaks."),
    ("text", " \n ", "Enter the message."),
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
    ("retention", "2", "Messages can be kept for 3 to 90 days."),
    ("retention", "91", "Messages can be kept for 3 to 90 days."),
    ("unsubscribe requests", "29", "Done unsubscribe requests can be kept for 30 to 730 days."),
    ("unsubscribe requests", "-1", "Done unsubscribe requests can be kept for 30 to 730 days."),
    ("rate limit", "0", "Enter 1 or more. A rate limit of 0 rejects every request."),
    ("rate limit", "2147483648", "Enter a number from 0 to 2,147,483,647."),
    ("daily limit", "-1", "Enter a number from 0 to 2,147,483,647."),
    ("daily limit", "2147483648", "Enter a number from 0 to 2,147,483,647."),
    ("callback URL", "http://example.org/hook", "must start with https://"),
    ("callback URL", "https://10.0.0.1/hook", "must not lead to a private network"),
    ("callback URL", "https://2130706433/hook", "must contain a host name, or an IP address in the usual form"),
    ("bearer token", "012345678", "Enter 10 to 2000 letters, digits or symbols, without spaces and accents."),
    ("bearer token", "a token with blanks", "Enter 10 to 2000 letters, digits or symbols, without spaces and accents."),
]

TWICE = [
    ("sender", "PIGEON", "pigeon", "This sender already exists."),
    ("sender", "07700 900123", "+44 7700 900123", "This sender already exists."),
    ("reply-to", "A@example.org", "a@example.org", "This reply-to address already exists."),
    ("key", "pay-app", "pay-app", "An active key with this name already exists."),
    ("service", "Buses", "BUSES", "A service with this name already exists."),
    ("service", "Ŵy", "ŵy", "A service with this name already exists."),
]


def _ids(table: list[Any]) -> list[str]:
    return [f"{row[0]}: {row[1][:20]!a} {number}" for number, row in enumerate(table)]


@pytest.fixture
def service() -> Service:
    return make_service()


@pytest.mark.parametrize(("name", "text", "stored"), GOOD, ids=_ids(GOOD))
def test_a_valid_value_is_stored_alike(console, service, name, text, stored):
    way = WAYS[name]
    with transaction.atomic():
        by_console(console, way, service, text)
        from_console = way.stored()
        transaction.set_rollback(True)

    assert by_document(way, text) == []
    assert way.stored() == from_console == [stored]


@pytest.mark.parametrize(("name", "text", "reason"), BAD, ids=_ids(BAD))
def test_a_bad_value_gets_the_same_error(console, service, name, text, reason):
    way = WAYS[name]

    page, lines = by_console(console, way, service, text), by_document(way, text)

    assert reason in page
    assert [line.partition(": ")[2] for line in lines] == [reason]
    assert way.stored() == []


@pytest.mark.parametrize(("name", "first", "second", "reason"), TWICE, ids=_ids(TWICE))
def test_a_duplicate_gets_the_same_error(console, service, name, first, second, reason):
    way = WAYS[name]
    assert by_document(way, first) == []

    if name != "key":  # a document finds a key by its name and changes nothing
        assert [line.partition(": ")[2] for line in by_document(way, second)] == [reason]
    assert reason in by_console(console, way, service, second)
    assert len(way.stored()) == 1


@pytest.mark.parametrize(("name", "text"), [row[:2] for row in GOOD if WAYS[row[0]].api])
def test_a_recipient_that_staff_can_list_can_get_messages(name, text):
    assert by_api(WAYS[name].api, text) == []


@pytest.mark.parametrize(("name", "text", "reason"), [row for row in BAD if WAYS[row[0]].api])
def test_a_recipient_that_staff_cannot_list_gets_the_same_error(name, text, reason):
    (message,) = by_api(WAYS[name].api, text)

    assert message.endswith(reason)
