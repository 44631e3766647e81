"""Texts through Amazon SNS with a scripted server, and the meaning of its answers."""

import os
import sys
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.core.exceptions import ImproperlyConfigured

from notifications.delivery import providers
from notifications.delivery.messages import OutgoingSms, PermanentFailure, TemporaryFailure
from notifications.delivery.providers.sns import Sns
from notifications.models import Channel, Status
from tests.factories import make_notification, make_service, make_sms_sender, make_template
from tests.notifications.delivery.gateways import ScriptedGateway, answer, pour
from tests.notifications.draining import drain_messages
from tests.servers import Program, accepts, free_port

TOPIC = "arn:aws:sns:eu-west-2:123456789012:texts"
TAKEN = "<PublishResponse><PublishResult><MessageId>a-1</MessageId></PublishResult></PublishResponse>"


def url(endpoint: str, *, topic: str = TOPIC) -> str:
    return f"sns://AKID:s3cret@eu-west-2?endpoint={endpoint}&topic={topic}"


def sms(**fields: Any) -> OutgoingSms:
    values = {"to": "447700900123", "content": "Grüße", "sender": "PARKS", "reference": str(uuid.uuid4())}
    return OutgoingSms(international=False, **values | fields)


def error(status: str, code: str, words: str = "words") -> str:
    return answer(
        status, f"<ErrorResponse><Error><Code>{code}</Code><Message>{words}</Message></Error></ErrorResponse>"
    )


@pytest.fixture(scope="module")
def amazon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a server that speaks SNS and return its URL."""
    port = free_port()
    serve = "import sys; from moto.server import main; main(sys.argv[1:])"
    program = Program(
        *(sys.executable, "-c", serve, "-H", "127.0.0.1", "-p", str(port)),
        log=tmp_path_factory.mktemp("sns") / "sns.log",
        environment=dict(os.environ),
    )
    program.wait_until(lambda: accepts(port))
    yield f"http://127.0.0.1:{port}"
    program.stop()


@pytest.mark.django_db
def test_an_accepted_text_has_the_reference_of_the_answer(amazon: str, settings: Any) -> None:
    settings.PROVIDERS = [f"sns={url(amazon)}"]
    service = make_service()
    message = make_notification(
        make_template(service, Channel.SMS), body="Hi Ana", sms_sender=make_sms_sender(service, "PARKS")
    )

    drain_messages()

    message.refresh_from_db()
    assert (message.status, message.provider) == (Status.SENDING, "sns")
    assert uuid.UUID(message.provider_reference)


def test_a_rejected_number_is_a_permanent_failure(amazon: str) -> None:
    with pytest.raises(PermanentFailure) as failure:
        Sns("sns", url(amazon)).send(sms(to="nobody"))

    assert (failure.value.reason, failure.value.is_recipients) == ("InvalidParameter", True)


@pytest.mark.parametrize(
    ("sender", "name", "value"),
    [
        ("PARKS", "AWS.SNS.SMS.SenderID", "PARKS"),
        ("447700900777", "AWS.MM.SMS.OriginationNumber", "+447700900777"),
        ("60006", "AWS.MM.SMS.OriginationNumber", "60006"),
    ],
)
def test_the_sender_and_the_kind_are_sent(sender: str, name: str, value: str) -> None:
    with ScriptedGateway([answer("200 OK", TAKEN, Content_Type="text/xml")]) as server:
        provider = Sns("sns", url(server.url))
        assert [provider.send(sms(sender=sender)).reference for _ in range(2)] == ["a-1"] * 2
        first, _ = server.requests
        assert server.connections == 1

    form = {key: values[0] for key, values in parse_qs(first.body.decode()).items()}
    found = {
        form[f"MessageAttributes.entry.{n}.Name"]: form[f"MessageAttributes.entry.{n}.Value.StringValue"]
        for n in (1, 2)
    }
    assert (form["Action"], form["PhoneNumber"], form["Message"]) == ("Publish", "+447700900123", "Grüße")
    assert found == {"AWS.SNS.SMS.SMSType": "Transactional", name: value}
    assert first.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKID/")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (error("400 Bad", "Throttling"), "temporary"),
        (error("500 Oh", "InternalError"), "temporary"),
        (error("503 Away", "ServiceUnavailable"), "temporary"),
        (error("403 No", "InvalidClientTokenId"), "ours"),
        (error("403 No", "SignatureDoesNotMatch"), "ours"),
        (answer("302 Found", Location="http://127.0.0.1:1/"), "ours"),
        (error("400 Bad", "InvalidParameter", "Invalid parameter: Message too long"), "technical"),
        (error("400 Bad", "InvalidParameter", "Invalid parameter: PhoneNumber Reason: opted out"), "recipients"),
        (answer("200 OK", "{ rubbish"), "doubt"),
        (answer("200 OK", "<PublishResponse/>"), "doubt"),
        (pour(1), "doubt"),
        ("reset", "doubt"),
    ],
)
def test_answers_have_the_same_meaning_as_those_of_other_gateways(reply: Any, expected: str) -> None:
    with ScriptedGateway([reply]) as server, pytest.raises((TemporaryFailure, PermanentFailure)) as failure:
        Sns("sns", url(server.url)).send(sms())

    found = failure.value
    if isinstance(found, TemporaryFailure):
        seen = "doubt" if found.is_uncertain else "ours" if found.opens_circuit else "temporary"
    else:
        seen = "recipients" if found.is_recipients else "technical"
    assert (seen, len(server.requests)) == (expected, 1)


def test_missing_credentials_are_named_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, "/nowhere")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)

    with pytest.raises(TemporaryFailure) as failure:
        Sns("sns", "sns://eu-west-2").send(sms())

    assert failure.value.opens_circuit
    assert (failure.value.reason, failure.value.reply) == ("no credentials", "The AWS SDK found no credentials.")


def test_a_refused_connection_is_not_uncertain() -> None:
    with pytest.raises(TemporaryFailure) as failure:
        Sns("sns", url("http://127.0.0.1:1")).send(sms())

    assert not failure.value.is_uncertain


@pytest.mark.parametrize(
    "wrong",
    [
        "sns://eu",
        "sns://AKID@eu-west-2",
        "sns://AKID:hunter2@eu-west-2/path",
        "sns://AKID:hunter2@eu-west-2?endpoint=http://sns.example.org",
        "sns://AKID:hunter2@eu-west-2?colour=red",
    ],
)
def test_a_wrong_setting_stops_the_start_and_shows_no_secret(settings: Any, wrong: str) -> None:
    settings.PROVIDERS = [f"sns={wrong}"]

    with pytest.raises(ImproperlyConfigured, match="PROVIDERS") as error:
        providers.configured()

    assert "hunter2" not in str(error.value)
