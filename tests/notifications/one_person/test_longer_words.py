"""A recipient within longer words: erased on the person's own rows, left and counted in texts about others."""

import pytest
from django.utils import timezone

from config.erased import ERASED
from config.rest.idempotency import IdempotencyKey
from notifications.models import Channel, EarlyReceipt, IdempotencyRecord, Notification, Status, UnsubscribeRequest
from notifications.submission.sending import idempotency
from tests.factories import (
    make_api_key,
    make_notification,
    make_suppression,
    make_template,
    make_unsubscribe_request,
)
from tests.notifications.one_person.stored import attempt, every_text
from tests.notifications.one_person.test_erasing import EMAIL, PHONE, erase

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "written",
    [
        *(f"{before}{{}}" for before in ("case-", "x", "7", "a.", "b_", "c+", "d%2B")),
        *(f"{{}}{after}" for after in ("-1", ".1", "x", ".uk", "_b", "7", "@x")),
    ],
)
@pytest.mark.parametrize("recipient", [PHONE, EMAIL])
def test_the_rows_of_a_person_lose_the_recipient_within_longer_words(recipient: str, written: str) -> None:
    text = written.format(recipient)
    sent = make_notification(
        make_template(channel=Channel.EMAIL if "@" in recipient else Channel.SMS),
        recipient,
        status=Status.DELIVERED,
        reference=text,
        provider="mail",
        provider_reference="p1",
        attempts=[attempt(text, "accepted")],
        attempt=1,
        receipts=[{"at": None, "outcome": "delivered", "code": text}],
    )
    make_suppression(sent.service, recipient, note=text)
    EarlyReceipt.objects.create(provider="mail", reference="p1", outcome="delivered", code=text)
    answer = {"id": str(sent.pk), "reference": text}
    record = {"api_key": make_api_key(sent.service), "fingerprint": "f", "created_at": timezone.now()}
    IdempotencyRecord.objects.create(key=text, answer=answer, **record)

    erase(recipient, "--yes")

    needle = recipient.lower()
    assert [place for place, stored in every_text() if needle in stored.lower()] == []
    assert not EarlyReceipt.objects.exists()


def test_a_repeated_request_is_recognised_after_its_key_was_erased() -> None:
    key, text = make_api_key(), f"case-{EMAIL}"
    request = IdempotencyKey(key=text, fingerprint="f")
    with idempotency.claimed(key, request) as claim:
        claim.keep({"id": "1"})

    erase(EMAIL, "--yes")

    with idempotency.claimed(key, request) as again:
        assert again.answer == {"id": "1"}
    assert EMAIL not in IdempotencyRecord.objects.get().key


def test_a_longer_address_in_texts_about_others_is_left_and_counted() -> None:
    other = make_notification(None, "bo@example.org", body=f"Write to jo{EMAIL}", status=Status.DELIVERED)
    make_template(content=f"Write to x-{EMAIL}")

    output = erase(EMAIL, "--yes")

    other.refresh_from_db()
    assert other.body == f"Write to jo{EMAIL}"
    assert "within a longer word: messages: 1." in output
    assert "within a longer word: template versions: 1." in output


@pytest.mark.parametrize(
    "host",
    ["bücher.example", "bu\u0308cher.example", "xn--bcher-kva.example", "bücher。example", "BÜCHER.example"],
)
def test_every_spelling_of_a_mailbox_is_erased(host: str) -> None:
    make_notification(None, "Ann@Bücher.example", reference=f"case-ann@{host}", status=Status.DELIVERED)
    make_unsubscribe_request(make_template(), "Ann@bu\u0308cher.example")

    erase("ann@xn--bcher-kva.example", "--yes")

    assert Notification.objects.get().reference == f"case-{ERASED}"
    assert UnsubscribeRequest.objects.get().recipient == ERASED
