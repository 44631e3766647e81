"""Console form and provision document apply the same rules to the settings of a data set; the API checks the path."""

import html
import re
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from config.areas import DocumentErrors
from datasets.management import provision
from datasets.models import DataSet

pytestmark = pytest.mark.django_db

NAMED = {"group": "pay", "type": "volumes"}
GOOD: list[tuple[str, Any, Any]] = [
    ("group", "0-weekly_volumes", "0-weekly_volumes"),
    ("type", " visits ", "visits"),
    ("group", "g" * 60, "g" * 60),
    ("auto_ids", ["_timestamp", "channel"], ["_timestamp", "channel"]),
    ("auto_ids", [f"f{n}" for n in range(20)], [f"f{n}" for n in range(20)]),
    ("retention_days", 1, 1),
    ("retention_days", 36_500, 36_500),
    ("max_records", 1_000_000_000, 1_000_000_000),
    ("expected_every_seconds", 1, 1),
    ("expected_every_seconds", 31_536_000, 31_536_000),
    ("description", " Calls by hour.\r\nWithout tests. ", "Calls by hour.\nWithout tests."),
    ("description", "d" * 2_000, "d" * 2_000),
    ("licence", "OGL-UK-3.0", "OGL-UK-3.0"),
    ("licence", "", ""),
    ("contact", " data@example.gov.uk ", "data@example.gov.uk"),
    ("contact", "https://example.gov.uk/help?topic=data", "https://example.gov.uk/help?topic=data"),
    ("units", {"cost": "GBP", "a: b": "days"}, {"cost": "GBP", "a: b": "days"}),
]
BAD: list[tuple[str, Any, str]] = [
    ("group", "Pay", "Use only a–z, 0–9, - and _. “P” is not allowed."),
    ("group", "pa y", "Use only a–z, 0–9, - and _. “ ” is not allowed."),
    ("group", "é", "Use only a–z, 0–9, - and _. “é” is not allowed."),
    ("type", "-pay", "Start with a letter or digit, not with “-”."),
    ("type", "x" * 61, "Use 1 to 60 characters, not 61."),
    ("auto_ids", ["_id"], "“_id” is not a field name."),
    ("auto_ids", ["a", "a"], "“a” is in the list twice. Enter each field once."),
    ("auto_ids", [f"f{n}" for n in range(21)], "Enter 1 to 20 fields, not 21."),
    ("retention_days", 0, "Records can be kept for 1 to 36,500 days."),
    ("retention_days", 36_501, "Records can be kept for 1 to 36,500 days."),
    ("max_records", -1, "Keep 1 to 1,000,000,000 of the newest records."),
    ("max_records", 1_000_000_001, "Keep 1 to 1,000,000,000 of the newest records."),
    ("expected_every_seconds", 0, "Choose a time from 1 second to 365 days."),
    ("expected_every_seconds", 31_536_001, "Choose a time from 1 second to 365 days."),
    ("description", "d" * 2_001, "Enter at most 2,000 characters, not 2,001."),
    ("contact", "somebody", "Enter an email address, or the URL of a page that starts with https://."),
    ("contact", "javascript:alert(1)", "Enter an email address, or the URL of a page that starts with https://."),
    ("contact", "https://a.example/<b>", "Enter an email address, or the URL of a page that starts with https://."),
    ("contact", "a@b@example.org", "Enter an email address, or the URL of a page that starts with https://."),
    ("units", {"_id": "GBP"}, "“_id” is not a field name."),
    ("units", {"cost": ""}, "Enter a unit of 1 to 40 characters for “cost”."),
    ("units", {"cost": "u" * 41}, "Enter a unit of 1 to 40 characters for “cost”."),
    ("units", {f"f{n}": "m" for n in range(201)}, "Enter at most 200 units, not 201."),
]


def by_console(console: Client, name: str, value: Any) -> str:
    """Post the form of a new data set and return the response page."""
    page = reverse("admin:datasets_dataset_add")
    nonce = re.findall(r'name="nonce" value="([^"]+)"', console.get(page).content.decode())[0]
    values = {**NAMED, name: value}
    form: dict[str, Any] = {"group_name": values["group"], "type_name": values["type"], "nonce": nonce}
    if name == "expected_every_seconds":
        form |= {"expected_every_seconds_0": value, "expected_every_seconds_1": "1"}
    elif name == "auto_ids":
        form[name] = "\r\n".join(value)
    elif name == "units":
        form[name] = "\r\n".join(f"{field}: {unit}" for field, unit in value.items())
    elif name not in NAMED:
        form[name] = value
    return html.unescape(console.post(page, form, follow=True).content.decode())


def by_document(name: str, value: Any) -> list[str]:
    """Provision the value and return the lines of its errors."""
    errors = DocumentErrors()
    with transaction.atomic():
        provision.apply([{**NAMED, name: value}], errors)
        transaction.set_rollback(bool(errors.lines))
    return errors.lines


def stored(name: str) -> list[Any]:
    found = [getattr(data_set, name) for data_set in DataSet.objects.select_related("group", "type")]
    return [str(value) for value in found] if name in NAMED else found


@pytest.mark.parametrize(("name", "value", "kept"), GOOD, ids=[str(row)[:40] for row in GOOD])
def test_a_valid_value_is_stored_alike(console, name, value, kept):
    with transaction.atomic():
        by_console(console, name, value)
        from_console = stored(name)
        transaction.set_rollback(True)

    assert by_document(name, value) == []
    assert stored(name) == from_console == [kept]


@pytest.mark.parametrize(("name", "value", "reason"), BAD, ids=[str(row)[:40] for row in BAD])
def test_a_bad_value_gets_the_same_error(console, name, value, reason):
    page, lines = by_console(console, name, value), by_document(name, value)

    assert reason in page
    assert lines == [f"data_sets[0].{name}: {reason}"]
    assert stored(name) == []


@pytest.mark.parametrize(("name", "word"), [row[:2] for row in BAD if row[0] in NAMED])
def test_the_api_answers_an_impossible_path_like_an_unknown_one(client, name, word):
    words = {**NAMED, name: word}

    answer = client.get(f"/data/{words['group']}/{words['type']}")

    assert answer.status_code == 401
    assert answer.json() == client.get("/data/unknown/unknown").json()
