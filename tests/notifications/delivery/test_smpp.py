"""Texts by SMPP to a message centre in Node: alphabets, parts, errors, receipts, received texts, lost binds."""

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.utils import timezone

from notifications.delivery import providers, status
from notifications.delivery.messages import (
    IncomingText,
    OutgoingSms,
    PermanentFailure,
    Receipt,
    ReceiptOutcome,
    TemporaryFailure,
)
from notifications.delivery.providers import smpp_text
from notifications.delivery.providers.smpp import Smpp
from notifications.models import Channel, Notification, ProviderCircuit, ReceivedText, Status, TextPart
from notifications.submission import joining
from tests.factories import make_notification, make_service, make_sms_sender, make_template
from tests.notifications.delivery.message_centre import MessageCentre
from tests.notifications.draining import drain_messages
from tests.servers import free_port, wait_until

GSM_LONG = "Größe: 12 € [ok] §4 " * 20  # each character of the extension takes two septets
UCS_LONG = "Bwrdd ŵyth ŷd " * 12


@pytest.fixture(scope="module")
def shared_centre() -> Iterator[MessageCentre]:
    centre = MessageCentre()
    yield centre
    centre.stop()


@pytest.fixture
def centre(shared_centre: MessageCentre) -> MessageCentre:
    shared_centre.events.clear()
    return shared_centre


@pytest.fixture
def sender(centre: MessageCentre) -> Iterator[Smpp]:
    """A provider that only sends."""
    provider = Smpp("smsc", centre.url)
    yield provider
    provider.end()


def sms(content: str = "Hi Ana", to: str = "447700900123", sender: str = "PIGEON", **fields: Any) -> OutgoingSms:
    return OutgoingSms(
        to=to, content=content, sender=sender, reference=str(uuid.uuid4()), international=False, **fields
    )


def test_a_text_is_sent_with_its_sender_and_returns_a_reference(centre: MessageCentre, sender: Smpp) -> None:
    accepted = sender.send(sms("Hi Ana, 5 € @ § {x}"))
    sender.send(sms(sender="447700900777"))
    sender.send(sms(sender="60006"))

    first, second, third = centre.wait_for("id", 3)
    assert (accepted.reference, first["whole"], first["coding"]) == (first["id"], "Hi Ana, 5 € @ § {x}", 0)
    assert (first["to"], first["from"], first["registered"]) == ("447700900123", "PIGEON", 1)
    assert [event["ton"] for event in (first, second, third)] == [[5, 1], [1, 1], [3, 1]]
    assert [event["known"] for event in centre.wait_for("bind")] == [True]  # one bind for all


@pytest.mark.parametrize(("text", "coding", "most"), [(GSM_LONG, 0, 160), (UCS_LONG, 8, 140)], ids=["GSM-7", "UCS-2"])
@pytest.mark.parametrize("long", ["parts", "payload"])
def test_a_long_text_arrives_joined(centre: MessageCentre, text: str, coding: int, most: int, long: str) -> None:
    provider = Smpp("smsc", f"{centre.url}?long={long}&window=2")
    try:
        accepted = provider.send(sms(text))
    finally:
        provider.end()

    wait_until(lambda: any(event["whole"] for event in centre.submitted))
    parts = centre.submitted
    assert parts[-1]["whole"] == text
    assert {part["coding"] for part in parts} == {coding}
    assert (len(parts) > 1) == (long == "parts")
    assert [part["registered"] for part in parts] == [0] * (len(parts) - 1) + [1]
    assert accepted.reference == parts[-1]["id"]


def test_receipts_can_be_turned_off(centre: MessageCentre) -> None:
    provider = Smpp("smsc", f"{centre.url}?receipts=no")
    try:
        provider.send(sms())
    finally:
        provider.end()

    [event] = centre.wait_for("id")
    assert event["registered"] == 0


def test_no_part_is_too_long_and_no_character_is_cut() -> None:
    encoded = smpp_text.encode("x" * 152 + "€" * 80, joint=7)

    assert [len(part) for part in encoded.parts] == [6 + 152, 6 + 152, 6 + 8]
    assert [part[:6] for part in encoded.parts] == [bytes([5, 0, 3, 7, 3, number]) for number in (1, 2, 3)]
    assert smpp_text.encode("x" * 160, joint=7).parts == [b"x" * 160]
    assert smpp_text.encode("ŵ" * 70, joint=7).parts == [("ŵ" * 70).encode("utf-16-be")]


@pytest.mark.parametrize(
    ("last", "reason"), [("01", "submit_sm refused with 0x58"), ("05", "submit_sm refused with 0x500")]
)
def test_a_temporary_error_of_the_centre_is_retried(sender: Smpp, last: str, reason: str) -> None:
    with pytest.raises(TemporaryFailure) as failure:
        sender.send(sms(to=f"4477009001{last}"))

    assert (failure.value.reason, failure.value.is_uncertain) == (reason, False)


@pytest.mark.parametrize(("last", "is_recipients"), [("02", True), ("06", False)])
def test_a_permanent_error_of_the_centre_is_not_retried(sender: Smpp, last: str, is_recipients: bool) -> None:
    with pytest.raises(PermanentFailure) as failure:
        sender.send(sms(to=f"4477009001{last}"))

    assert failure.value.is_recipients == is_recipients


def test_a_missing_answer_is_uncertain_and_the_bind_continues(centre: MessageCentre) -> None:
    provider = Smpp("smsc", centre.url, total_seconds=0.5)
    with pytest.raises(TemporaryFailure) as failure:
        provider.send(sms(to="447700900103"))

    assert (failure.value.reason, failure.value.is_uncertain) == ("no answer in time", True)
    assert provider.send(sms()).reference
    provider.end()


def test_a_cut_connection_is_uncertain_and_the_next_message_opens_another(centre: MessageCentre, sender: Smpp) -> None:
    with pytest.raises(TemporaryFailure) as failure:
        sender.send(sms(to="447700900104"))

    assert (failure.value.reason, failure.value.is_uncertain) == ("disconnected", True)
    assert sender.send(sms()).reference
    assert len(centre.wait_for("bind")) == 2


def test_a_refused_connection_is_not_uncertain() -> None:
    with pytest.raises(TemporaryFailure) as failure:
        Smpp("smsc", f"smpp://a:b@127.0.0.1:{free_port()}").send(sms())

    assert (failure.value.is_uncertain, failure.value.opens_circuit) == (False, False)


def test_a_wrong_password_opens_the_circuit_breaker(centre: MessageCentre) -> None:
    with pytest.raises(TemporaryFailure) as failure:
        Smpp("smsc", centre.url.replace("pa%2Css", "wrong")).send(sms())

    assert (failure.value.reason, failure.value.opens_circuit) == ("bind refused with 0xe", True)


@pytest.mark.parametrize(
    "url",
    [
        "smpp://",
        "smpp://smsc.example.org",
        "smpp://signalbox:hunter2@smsc.example.org/path",
        "smpp://signalbox:hunter2@smsc.example.org?long=both",
        "smpp://signalbox:hunter2@smsc.example.org?window=0",
        "smpp://signalbox:hunter2-is-too-long@smsc.example.org",
    ],
)
def test_a_wrong_setting_stops_the_start_and_shows_no_password(settings: Any, url: str) -> None:
    settings.PROVIDERS = [f"smsc={url}"]

    with pytest.raises(ImproperlyConfigured, match="PROVIDERS") as error:
        providers.configured()

    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "fields", "expected"),
    [
        ("id:7 sub:001 stat:DELIVRD err:000 text:stat:EXPIRED", {}, ("7", ReceiptOutcome.DELIVERED, "DELIVRD 000")),
        ("ID:7 STAT:expired ERR:5", {}, ("7", ReceiptOutcome.TEMPORARY_FAILURE, "EXPIRED 5")),
        ("", {"reference": "8", "state": 2}, ("8", ReceiptOutcome.DELIVERED, "DELIVRD")),
        ("id:7 stat:DELIVRD", {"reference": "8", "state": 5}, ("8", ReceiptOutcome.PERMANENT_FAILURE, "UNDELIV")),
        ("id:7 stat:UNKNOWN err:1", {}, ("7", ReceiptOutcome.TECHNICAL_FAILURE, "UNKNOWN 1")),
        ("", {"reference": "8", "state": 99}, ("8", ReceiptOutcome.TECHNICAL_FAILURE, "99")),
    ],
)
def test_a_receipt_is_read_from_its_text_and_its_parameters(
    text: str, fields: dict[str, Any], expected: tuple[str, ReceiptOutcome, str]
) -> None:
    read = smpp_text.receipt(text, **fields)

    assert read is not None
    assert (read.reference, read.outcome, read.code) == expected


def test_a_receipt_without_an_id_is_ignored() -> None:
    assert smpp_text.receipt("hello") is None


@pytest.fixture
def listening(centre: MessageCentre, settings: Any, transactional_db: None) -> Iterator[Smpp]:
    """The provider of the settings, listening like a worker."""
    settings.PROVIDERS = [f"smsc={centre.url}?system_type={uuid.uuid4().hex[:8]}"]  # a different provider for each test
    [provider] = providers.listening()
    assert isinstance(provider, Smpp)
    provider.listen(_applied, _received)
    centre.wait_for("bind")
    yield provider
    provider.end()


def _applied(name: str, receipt: Receipt) -> None:
    try:
        status.take_in(name, [receipt])
    finally:
        connections.close_all()  # otherwise the test database could not be dropped


def _received(name: str, text: IncomingText) -> None:
    try:
        joining.take(name, text)
    finally:
        connections.close_all()


def sent_text(to: str = "07700 900123") -> Notification:
    service = make_service()
    message = make_notification(
        make_template(service, Channel.SMS), to, body="Hi Ana", sms_sender=make_sms_sender(service)
    )
    drain_messages()
    return message


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("23", Status.DELIVERED),
        ("11", Status.PERMANENT_FAILURE),
        ("12", Status.TEMPORARY_FAILURE),
        ("13", Status.PERMANENT_FAILURE),
        ("14", Status.TECHNICAL_FAILURE),
        ("15", Status.PENDING),
    ],
)
def test_a_receipt_on_the_bind_sets_the_status(
    listening: Smpp, centre: MessageCentre, last: str, expected: Status
) -> None:
    message = sent_text(f"07700 9001{last}")
    centre.wait_for("answered")
    status.apply_early()  # the centre may report before the row is recorded as sent

    message.refresh_from_db()
    assert message.status == expected
    assert message.provider == "smsc"
    assert len(message.receipts) == 1


def test_a_received_text_is_stored(listening: Smpp, centre: MessageCentre) -> None:
    service = make_service()
    make_sms_sender(service, "07700 900851")
    common = {"source_addr": "447700900456", "destination_addr": "447700900851"}

    centre.tell(text={**common, "short_message": "Ja, 5 €", "data_coding": 0})
    centre.tell(text={**common, "short_message": "ŵyth 🚲", "data_coding": 8})
    answers = centre.wait_for("answered", 2)

    assert [answer["answered"] for answer in answers] == [0, 0]
    texts = ReceivedText.objects.order_by("created_at").values_list("user_number", "notify_number", "content")
    assert list(texts) == [("447700900456", "447700900851", "Ja, 5 €"), ("447700900456", "447700900851", "ŵyth 🚲")]


def test_a_long_received_text_is_joined_in_any_order(listening: Smpp, centre: MessageCentre) -> None:
    service = make_service()
    make_sms_sender(service, "07700 900851")
    common = {"source_addr": "447700900456", "destination_addr": "447700900851", "esm_class": 0x40, "data_coding": 0}

    def send(number: int, words: str, joint: int = 7) -> None:
        header = {"type": "Buffer", "data": [5, 0, 3, joint, 3, number]}
        centre.tell(text={**common, "short_message": {"udh": header, "message": words}})

    for number, words in ((3, "three."), (1, "One, "), (1, "One, "), (2, "two, ")):
        send(number, words)
    send(1, "Never whole", joint=8)
    answers = centre.wait_for("answered", 5)

    assert {answer["answered"] for answer in answers} == {0}
    assert [text.content for text in ReceivedText.objects.all()] == ["One, two, three."]
    TextPart.objects.update(received_at=timezone.now() - timedelta(minutes=11))
    send(2, "Alone", joint=9)
    centre.wait_for("answered", 6)
    assert [text.content for text in ReceivedText.objects.order_by("created_at")][1:] == ["Never whole"]
    assert TextPart.objects.count() == 1


def test_a_lost_bind_is_opened_again_and_both_sides_check_it(listening: Smpp, centre: MessageCentre) -> None:
    centre.tell(ask=True)
    centre.wait_for("there")

    centre.tell(drop=True)

    centre.wait_for("bind", 2)
    centre.tell(receipt={"id": "m-unknown", "state": "DELIVRD"})
    assert centre.wait_for("answered")[0]["answered"] == 0


@pytest.mark.django_db
def test_a_rejected_bind_pauses_the_provider_and_messages_wait(centre: MessageCentre, settings: Any) -> None:
    settings.PROVIDERS = [f"smsc={centre.url.replace('pa%2Css', 'wrong')}"]

    message = sent_text()

    message.refresh_from_db()
    assert (message.status, message.failed_attempts) == (Status.CREATED, 0)
    assert ProviderCircuit.objects.get().reason == "bind refused with 0xe"
