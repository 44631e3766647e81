"""Emails of alarms through a mail server. Source: docs/reference/alarms.md §4."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope
from environs import ValidationError

from config.env_values import mail_server_or_blank
from config.own_messages import Handover, OwnMessage
from datasets.alarms import mail
from tests.servers import free_port

MESSAGE = OwnMessage(
    to="ana@example.org", subject="Alarm: Late", text="pay/volumes is late.", identifier=uuid.UUID(int=7)
)


class Mailbox:
    def __init__(self) -> None:
        self.envelopes: list[Envelope] = []

    async def handle_RCPT(self, server: Any, session: Any, envelope: Envelope, address: str, options: Any) -> str:
        if address.startswith("nobody"):
            return "550 no such person"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Envelope) -> str:
        self.envelopes.append(envelope)
        return "250 OK"


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    box, port = Mailbox(), free_port()
    settings.ALARM_MAIL_URL, settings.ALARM_MAIL_FROM = f"smtp://127.0.0.1:{port}", "signalbox@example.net"
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    yield box
    controller.stop()


def test_an_email_reaches_the_mail_server(mailbox: Mailbox) -> None:
    assert mail.send(MESSAGE) is Handover.TAKEN

    [envelope] = mailbox.envelopes
    text = bytes(envelope.content or b"").decode()
    assert (envelope.mail_from, envelope.rcpt_tos) == ("signalbox@example.net", ["ana@example.org"])
    assert "Subject: Alarm: Late" in text
    assert f"Message-ID: <{MESSAGE.identifier}@example.net>" in text
    assert "pay/volumes is late." in text


def test_a_refused_recipient_is_permanent_and_a_server_that_is_away_is_not(mailbox: Mailbox, settings: Any) -> None:
    nobody = OwnMessage(to="nobody@example.org", subject="A", text="B", identifier=uuid.uuid4())
    assert mail.send(nobody) is Handover.REFUSED

    settings.ALARM_MAIL_URL = f"smtp://127.0.0.1:{free_port()}"
    assert mail.send(MESSAGE) is Handover.NOT_YET


def test_with_the_sending_area_no_mail_server_is_used(mailbox: Mailbox) -> None:
    assert mail.channels() == ()


@pytest.mark.parametrize(
    "value", ["mail.example.org", "http://mail.example.org", "smtp://", "smtp://host:x", "smtp://a/b"]
)
def test_a_wrong_url_is_refused(value: str) -> None:
    mail_server_or_blank("smtp+tls://user:password@mail.example.org:587")
    mail_server_or_blank("")
    with pytest.raises(ValidationError):
        mail_server_or_blank(value)
