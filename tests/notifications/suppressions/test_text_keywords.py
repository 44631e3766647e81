"""STOP and START by text: which texts are keywords, and what they change."""

import pytest

from config.audit.models import AuditEvent
from notifications.delivery.messages import IncomingText
from notifications.models import ReceivedText, Service, Suppression, SuppressionReason, SuppressionSource
from notifications.submission import receiving, text_keywords
from notifications.submission.text_keywords import Keyword
from tests.factories import make_service, make_sms_sender, make_suppression

ANA, OWN = "07700 900123", "07700 900851"


@pytest.fixture
def service(db: None) -> Service:
    service = make_service(stop_texts_suppress=True)
    make_sms_sender(service, OWN)
    return service


def receive(content: str, sender: str = ANA) -> None:
    receiving.receive(IncomingText(sender=sender, recipient=OWN, content=content))


@pytest.mark.parametrize(
    ("content", "keyword"),
    [
        *((word, Keyword.STOP) for word in ("STOP", "stopall", "Unsubscribe", "QUIT", "end", "CANCEL")),
        *((word, Keyword.START) for word in ("start", "UNSTOP")),
        *((text, Keyword.STOP) for text in (" Stop \n", "“STOP!”", "stop.", "*STOP*", "🛑 stop 🛑", "_stop_")),
        *((text, None) for text in ("", "please stop", "STOP IT", "stop-all", "STOPP", "ſtop", "S T O P", "STOP 1")),
        ("!" * 100_000 + "x" + "!" * 100_000, None),
    ],
)
def test_a_keyword_is_the_only_word_of_a_text(content: str, keyword: Keyword | None) -> None:
    assert text_keywords.find(content) is keyword


def test_stop_suppresses_the_number_and_a_repeat_changes_nothing(service: Service) -> None:
    receive("Stop.")
    receive("STOP")

    (row,) = Suppression.objects.all()
    assert (row.service, row.channel, row.normalised_recipient) == (service, "sms", "447700900123")
    assert (row.reason, row.source) == (SuppressionReason.STOP, SuppressionSource.TEXT)
    assert row.is_active
    assert ReceivedText.objects.count() == 2
    (event,) = AuditEvent.objects.filter(object_kind="suppression")
    assert event.verb == "created"
    assert "900123" not in str(event.after) + event.object_label.replace("•", "")


def test_start_lifts_only_what_stop_suppressed(service: Service) -> None:
    by_hand = make_suppression(service, ANA)
    of_others = make_suppression(make_service(), ANA, SuppressionReason.STOP)
    receive("STOP")

    receive("start")
    receive("start")

    assert {row.pk for row in Suppression.objects.active()} == {by_hand.pk, of_others.pk}
    lifted = Suppression.objects.get(service=service, reason=SuppressionReason.STOP)
    assert lifted.lift_reason == "The recipient sent START by text."
    assert AuditEvent.objects.filter(verb="lifted").count() == 1


def test_stop_counts_again_after_start(service: Service) -> None:
    for word in ("STOP", "START", "STOP"):
        receive(word)

    assert Suppression.objects.count() == 2
    assert Suppression.objects.active().count() == 1


def test_a_service_without_the_switch_and_a_name_as_sender_change_nothing(service: Service) -> None:
    receive("STOP", sender="PARCELS")
    Service.objects.update(stop_texts_suppress=False)
    receive("STOP")

    assert not Suppression.objects.exists()
    assert ReceivedText.objects.count() == 2
