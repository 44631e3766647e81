"""Texts from people, callers and recipients stay text on every page of the console. Source: docs/testing.md, H4.

Each list and each row's page is compared with one that has letters instead of markup: a parser must find the same
elements with the same attributes in both.
"""

from collections.abc import Collection
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config import audit
from config.audit.models import AuditEvent
from datasets.store import fields_seen
from notifications.models import CallbackDelivery, Channel
from tests import factories
from tests.datasets import making
from tests.notifications.download.sending import send_file
from tests.notifications.download.test_injection import SCRIPTS, Skeleton

pytestmark = pytest.mark.django_db

# Several attacks in one name, up to its limit. All start alike, so that lists have one order.
SEVERAL = [f"zz {' '.join(SCRIPTS[start : start + 5])}"[:250] for start in range(0, len(SCRIPTS), 5)]
HARMLESS = str.maketrans(dict.fromkeys("<>\"'&", "x"))


def rows_called(text: str, group: str = "pay") -> list[Any]:
    """Return a row of each kind that has text from people, callers or recipients, with this text everywhere."""
    service = factories.make_service(name=text, created_by=text)
    template = factories.make_template(service, name=text, subject=text, content=f"Dear all {text}")
    words = factories.make_template(service, Channel.SMS, name=text, content=text)
    data_set = making.make_data_set(group)
    making.make_token(data_set)
    making.put_in(data_set, making.some_records(2, **{"a field": text}))
    data_set.group.description = text
    data_set.group.save()
    fields_seen.note(data_set)
    endpoint = factories.make_callback(service, created_by=text)
    message = factories.make_notification(
        template, recipient=f"{text[:200]}@example.org", reference=text, subject=text, body=text, created_by=text
    )
    return [
        service,
        template,
        words,
        data_set,
        data_set.group,
        factories.make_api_key(service, name=text[:60], note=text),
        factories.make_sms_sender(service, sender=text[:20]),
        factories.make_reply_to(service, email_address=f"{text}@example.org"),
        factories.make_guest(service, value=f"{text}@example.org"),
        message,
        factories.make_unsubscribe_request(
            template, recipient=f"{text[:200]}@example.org", done_at=timezone.now(), done_by=text
        ),
        endpoint,
        CallbackDelivery.objects.owe_test(endpoint),
        send_file(service, name=f"{text[:90]}.pdf", withdrawn_by=text, withdrawn_why=text).row,
        User.objects.create_user(text[:100], first_name=text[:150], last_name=text[:150], password="a-long-password-2"),
        audit.record(
            audit.Actor(kind=audit.COMMAND.kind, id=text[:64], label=text),
            "removed",
            object_kind="service",
            object_id=service.pk,
            service_id=service.pk,
            before={"name": text},
        ),
    ]


def lists(console: Client, texts: list[str]) -> dict[str, Skeleton]:
    """Return the overview and every list by name, with rows of all these texts."""
    with transaction.atomic():
        for number, text in enumerate(texts):
            rows_called(text, f"pay{number}")
        found = {"overview": console.get("/admin/")}
        for model in admin.site._registry:
            found[f"{model._meta.label} list"] = console.get(_place(model, "changelist"))
        transaction.set_rollback(True)
    return _read(found)


def row_pages(console: Client, text: str, only: Collection[str] = ()) -> dict[str, Skeleton]:
    """Return the pages of every row with this text by name. `only` limits them to these names."""
    with transaction.atomic():
        found = {}
        for number, row in enumerate(rows_called(text)):
            for page in ("change",) if isinstance(row, AuditEvent) else ("change", "history"):
                name = f"{row._meta.label} {number} {page}"
                if not only or name in only:
                    found[name] = console.get(_place(type(row), page, row.pk))
        transaction.set_rollback(True)
    return _read(found)


def _read(found: dict[str, Any]) -> dict[str, Skeleton]:
    assert {name: answer.status_code for name, answer in found.items() if answer.status_code != 200} == {}
    return {name: Skeleton(answer.content.decode()) for name, answer in found.items()}


def _place(model: Any, page: str, *arguments: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


def different(pages: dict[str, Skeleton], harmless: dict[str, Skeleton]) -> list[str]:
    return [name for name, page in pages.items() if page.elements != harmless[name].elements]


def odd_targets(pages: dict[str, Skeleton]) -> list[str]:
    """Return the links of these pages that do not have a usual scheme."""
    targets = [target for page in pages.values() for target in page.targets if ":" in target.partition("/")[0]]
    return [target for target in targets if not target.lower().startswith(("data:", "https:", "http:", "mailto:"))]


@pytest.mark.fault("H4")
def test_scripts_stay_text_in_every_list(console):
    harmless = lists(console, [text.translate(HARMLESS) for text in SEVERAL])

    hostile = lists(console, SEVERAL)

    assert different(hostile, harmless) == []
    assert odd_targets(hostile) == []
    for text in SEVERAL:
        assert sum(text[:12] in page.text for page in hostile.values()) > 2


@pytest.fixture(scope="module")
def usual() -> dict[str, Skeleton]:
    """Return the pages of rows with a harmless text, for pages that do not depend on the text."""
    return {}


@pytest.mark.parametrize("text", SEVERAL)
@pytest.mark.fault("H4")
def test_scripts_stay_text_on_the_pages_of_every_row(console, usual, text):
    if not usual:
        usual |= row_pages(console, SEVERAL[0].translate(HARMLESS))

    hostile = row_pages(console, text)

    unlike = different(hostile, usual)
    if unlike:
        harmless = row_pages(console, text.translate(HARMLESS), unlike)
        assert different({name: hostile[name] for name in unlike}, harmless) == []
    assert odd_targets(hostile) == []
    assert sum(text[:12] in page.text for page in hostile.values()) > 5
