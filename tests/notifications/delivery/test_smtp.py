"""The SMTP adapter: its commands, and the meaning of each rejection."""

import base64
import time
from email.message import EmailMessage
from typing import Any

import pytest

from notifications.delivery.messages import OutgoingEmail, PermanentFailure, TemporaryFailure
from notifications.delivery.providers.smtp import Smtp
from tests.notifications.delivery.mail_servers import DrippingServer, ScriptedServer
from tests.notifications.delivery.test_mime import read
from tests.servers import SmtpSink

# A greeting states whether the client may send commands before the last answer.
GREETINGS = pytest.mark.parametrize(
    "greeting", [pytest.param("250 here", id="one by one"), pytest.param("250-here\r\n250 PIPELINING", id="at once")]
)


def email(**fields: Any) -> OutgoingEmail:
    values: dict[str, Any] = {
        "from_name": "Café & Parks, Ltd",
        "from_address": "cafe.parks@signalbox.invalid",
        "to": "ana@example.org",
        "subject": "Your visit – tomorrow",
        "text": "Dear Ana\n",
        "html": "<p>Dear Ana</p>",
        "message_id": "<2f0c4ed7@signalbox.invalid>",
    }
    return OutgoingEmail(**values | fields)


def body(part: EmailMessage) -> str:
    return part.get_content().replace("\r\n", "\n")


def sent(sink: SmtpSink, message: OutgoingEmail) -> EmailMessage:
    Smtp("mail", sink.url).send(message)
    arrived = sink.wait_for_message()
    read(sink.envelopes[-1].content)
    return arrived


def test_headers_and_both_parts_arrive(smtp_sink):
    headers = {"List-Unsubscribe": "<https://example.org/u>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}

    mail = sent(smtp_sink, email(reply_to="office@parks.example.org", headers=headers))

    assert str(mail["From"].addresses[0].display_name) == "Café & Parks, Ltd"
    assert mail["From"].addresses[0].addr_spec == "cafe.parks@signalbox.invalid"
    assert mail["To"] == "ana@example.org"
    assert mail["Subject"] == "Your visit – tomorrow"
    assert mail["Message-ID"] == "<2f0c4ed7@signalbox.invalid>"
    assert mail["Reply-To"] == "office@parks.example.org"
    assert mail["List-Unsubscribe"] == "<https://example.org/u>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail["Date"]
    assert mail.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]
    assert [body(part) for part in mail.iter_parts()] == ["Dear Ana\n", "<p>Dear Ana</p>"]
    envelope = smtp_sink.envelopes[0]
    assert (envelope.mail_from, envelope.rcpt_tos) == ("cafe.parks@signalbox.invalid", ["ana@example.org"])


@pytest.mark.parametrize("subject", ["Grüße " * 40, "plain words " * 40, "x" * 400], ids=["ü", "long", "one word"])
def test_a_long_subject_and_name_have_lines_that_every_server_accepts(smtp_sink, subject):
    mail = sent(smtp_sink, email(subject=subject.strip(), from_name="Ämter und Büros " * 15))

    assert mail["Subject"].strip() == subject.strip()
    # Python's parser adds a space between the encoded words of a name, possibly inside a word.
    assert "".join(mail["From"].addresses[0].display_name.split()) == "ÄmterundBüros" * 15
    assert max(map(len, smtp_sink.envelopes[0].content.split(b"\r\n"))) < 998


@pytest.mark.parametrize("field", ["subject", "to", "reply_to", "from_name"])
def test_no_value_can_add_a_header(smtp_sink, field):
    with pytest.raises(ValueError, match="several lines"):
        Smtp("mail", smtp_sink.url).send(email(**{field: "ana@example.org\r\nBcc: eve@example.org"}))

    assert not smtp_sink.messages


def test_without_a_reply_to_there_is_no_such_header(smtp_sink):
    assert sent(smtp_sink, email())["Reply-To"] is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(".\n.leading dots\n..\n", id="leading dots"),
        pytest.param("before\n.\nMAIL FROM:<evil@example.org>\n", id="an end in the middle"),
        pytest.param("x" * 100_000 + "\n", id="a line of 100 000 characters"),
        pytest.param("ŵ €  😀 \n", id="letters beyond ASCII, and a space at the end"),
        pytest.param("From here\n", id="From at the start"),
        pytest.param("", id="nothing"),
        pytest.param("one\rtwo\r\nthree\r", id="all kinds of line ends"),
    ],
)
@pytest.mark.fault("H1", "H2")
def test_any_text_arrives_unchanged_in_lines_that_every_server_accepts(smtp_sink, text):
    mail = sent(smtp_sink, email(text=text))

    assert body(next(mail.iter_parts())) == text.replace("\r\n", "\n").replace("\r", "\n")
    raw = smtp_sink.envelopes[0].content
    assert max(map(len, raw.split(b"\r\n"))) < 998
    assert raw.isascii()
    assert len(smtp_sink.messages) == 1


@GREETINGS
def test_many_messages_go_over_one_connection(greeting):
    with ScriptedServer(EHLO=greeting) as server:
        provider = Smtp("mail", server.url)

        for _ in range(20):
            provider.send(email())

        assert (server.connections, len(server.contents)) == (1, 20)


@GREETINGS
@pytest.mark.parametrize("goodbye", ["", "421 too long idle"])
def test_a_connection_that_the_server_closed_is_opened_again(goodbye, greeting):
    with ScriptedServer(EHLO=greeting) as server:
        provider = Smtp("mail", server.url)
        provider.send(email())
        server.answers["MAIL"] = goodbye

        with pytest.raises(TemporaryFailure):
            provider.send(email())
        assert server.connections == 2
        server.answers["MAIL"] = "250 fine"
        provider.send(email())

        assert len(server.contents) == 2


@GREETINGS
@pytest.mark.parametrize("stage", ["MAIL", "RCPT", "DATA", "CONTENT"])
@pytest.mark.parametrize("code", [421, 450, 451, 452])
@pytest.mark.fault("B3", "B4")
def test_a_4xx_at_any_stage_is_retried(stage, code, greeting):
    with (
        ScriptedServer(**{"EHLO": greeting, stage: f"{code} not now"}) as server,
        pytest.raises(TemporaryFailure) as failure,
    ):
        Smtp("mail", server.url).send(email())

    assert failure.value.reply == f"{code} not now"
    assert not failure.value.is_uncertain


@pytest.mark.parametrize(
    ("stage", "is_recipients"), [("MAIL", False), ("RCPT", True), ("DATA", False), ("CONTENT", True)]
)
@pytest.mark.parametrize("code", [550, 553, 554])
@GREETINGS
@pytest.mark.fault("B3", "B4")
def test_a_5xx_is_permanent_and_its_stage_shows_the_cause(stage, is_recipients, code, greeting):
    with (
        ScriptedServer(**{"EHLO": greeting, stage: f"{code} no"}) as server,
        pytest.raises(PermanentFailure) as failure,
    ):
        Smtp("mail", server.url).send(email())

    assert failure.value.is_recipients == is_recipients


@GREETINGS
@pytest.mark.parametrize("stage", ["MAIL", "RCPT", "DATA"])
def test_the_connection_is_used_again_after_a_rejection(stage, greeting):
    with ScriptedServer(**{"EHLO": greeting, stage: "550 no"}) as server:
        provider = Smtp("mail", server.url)
        with pytest.raises(PermanentFailure):
            provider.send(email())
        server.answers[stage] = server.USUAL[stage]

        provider.send(email())

        assert server.connections == 1
        assert [content for content in server.contents if content] == server.contents[-1:]


def test_no_content_is_sent_after_a_rejected_recipient():
    with ScriptedServer(EHLO="250-here\r\n250 PIPELINING", RCPT="550 no such user") as server:
        with pytest.raises(PermanentFailure) as failure:
            Smtp("mail", server.url).send(email())

        assert failure.value.reason == "550 at RCPT"
        assert server.contents == [b""]


@GREETINGS
@pytest.mark.parametrize(
    ("stage", "uncertain"),
    [("BANNER", False), ("EHLO", False), ("MAIL", False), ("RCPT", False), ("DATA", False), ("CONTENT", True)],
)
@pytest.mark.fault("B5")
def test_a_disconnect_is_only_uncertain_after_the_final_dot(stage, uncertain, greeting):
    with ScriptedServer(**{"EHLO": greeting, stage: ""}) as server, pytest.raises(TemporaryFailure) as failure:
        Smtp("mail", server.url).send(email())

    assert failure.value.is_uncertain == uncertain


@pytest.mark.parametrize(("stage", "uncertain"), [("BANNER", False), ("RCPT", False), ("CONTENT", True)])
@pytest.mark.fault("B2")
def test_a_silent_server_times_out(stage, uncertain):
    started = time.monotonic()
    with ScriptedServer(**{stage: None}) as server, pytest.raises(TemporaryFailure) as failure:
        Smtp("mail", server.url, read_seconds=0.3).send(email())

    assert failure.value.is_uncertain == uncertain
    assert time.monotonic() - started < 8  # a read may take 10 s


@pytest.mark.fault("B2")
def test_a_dripping_server_ends_at_the_deadline():
    started = time.monotonic()
    with DrippingServer() as server, pytest.raises(TemporaryFailure):
        Smtp("mail", server.url, read_seconds=5, total_seconds=0.5).send(email())

    assert time.monotonic() - started < 20  # a message may take 25 s


def test_a_refused_connection_is_retried():
    with pytest.raises(TemporaryFailure):
        Smtp("mail", "smtp://127.0.0.1:1").send(email())


def test_a_rejected_login_opens_the_circuit_breaker_and_fails_no_message():
    with ScriptedServer(EHLO="250-here\r\n250 AUTH PLAIN", AUTH="535 wrong password") as server:
        provider = Smtp("mail", server.url.replace("smtp://", "smtp://user:p%40ss@"))
        with pytest.raises(TemporaryFailure) as failure:
            provider.send(email())

    assert failure.value.opens_circuit
    assert b"AUTH PLAIN " + base64.b64encode(b"\0user\0p@ss") + b"\r\n" in server.lines


def test_no_reason_contains_a_recipient():
    with ScriptedServer(RCPT="550 <ana@example.org>: unknown") as server, pytest.raises(PermanentFailure) as failure:
        Smtp("mail", server.url).send(email())

    assert failure.value.reason == "550 at RCPT"
    assert "ana@example.org" not in str(failure.value)


def test_a_password_is_only_sent_to_another_machine_over_tls():
    with ScriptedServer(EHLO="250-here\r\n250 AUTH PLAIN") as server:
        # Another form of 127.0.0.1 that does not look local.
        provider = Smtp("mail", f"smtp://user:hunter2@127.1:{server.port}")
        with pytest.raises(TemporaryFailure) as failure:
            provider.send(email())

    assert "STARTTLS" in failure.value.reply
    assert not any(b"AUTH" in line for line in server.lines)
