"""Whatever people, callers and recipients have typed, it stays text on every page of the console (test plan: H4).

Each list and each row's page is made twice, once with letters in the place of what makes markup: a parser must find the
same elements with the same attributes in both.
"""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.console import audit
from config.console.models import AuditEvent
from datasets.store import fields_seen
from notifications.models import CallbackDelivery, Channel
from tests import factories
from tests.datasets import making
from tests.notifications.download.sending import send_file
from tests.notifications.download.test_injection import SCRIPTS, Skeleton

pytestmark = pytest.mark.django_db

# Several at once, as long as a name may be. All begin alike, so that lists have one order.
SEVERAL = [f"zz {' '.join(SCRIPTS[start : start + 5])}"[:250] for start in range(0, len(SCRIPTS), 5)]
HARMLESS = str.maketrans(dict.fromkeys("<>\"'&", "x"))


def rows_called(text: str) -> list[Any]:
    """Return a row of each kind that people, callers or recipients give words to, all of them these."""
    service = factories.make_service(name=text, created_by=text)
    template = factories.make_template(service, name=text, subject=text, content=f"Dear all {text}")
    words = factories.make_template(service, Channel.SMS, name=text, content=text)
    data_set = making.make_data_set()
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


def pages(console: Client, text: str) -> dict[str, Skeleton]:
    """Return every page with rows called so, by its name."""
    with transaction.atomic():
        rows = rows_called(text)
        found = {"overview": console.get("/admin/")}
        for model in admin.site._registry:
            found[f"{model._meta.label} list"] = console.get(_place(model, "changelist"))
        for number, row in enumerate(rows):
            for page in ("change",) if isinstance(row, AuditEvent) else ("change", "history"):
                found[f"{row._meta.label} {number} {page}"] = console.get(_place(type(row), page, row.pk))
        transaction.set_rollback(True)
    assert {name: answer.status_code for name, answer in found.items() if answer.status_code != 200} == {}
    return {name: Skeleton(answer.content.decode()) for name, answer in found.items()}


def _place(model: Any, page: str, *arguments: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


@pytest.mark.parametrize("text", SEVERAL)
def test_it_stays_text_on_every_page(console, text):
    harmless = pages(console, text.translate(HARMLESS))

    hostile = pages(console, text)

    for name, page in hostile.items():
        assert page.elements == harmless[name].elements, name
        schemes = {target.partition(":")[0].lower() for target in page.targets if ":" in target.partition("/")[0]}
        assert schemes <= {"data", "https", "http", "mailto"}, name
    assert sum(text[:12] in page.text for page in hostile.values()) > 5
