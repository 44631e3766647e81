"""Values that look like headers, recipients or messages do not change the one message that the mail server gets.

Source: docs/testing.md, H1, H2.
"""

from email.message import EmailMessage

import pytest

from notifications.delivery.outgoing import message_for
from notifications.delivery.providers.smtp import Smtp
from notifications.models import Notification
from tests.notifications.calling import email_template, make_caller
from tests.notifications.delivery.test_mime import read
from tests.notifications.draining import claim_one

pytestmark = pytest.mark.django_db

BREAKS = {
    "CR LF": "\r\n",
    "LF": "\n",
    "CR": "\r",
    "folded": "\r\n ",
    "vertical tab": "\v",
    "form feed": "\f",
    "next line": "\x85",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "end of mail": "\r\n.\r\n",
    "bare end of mail": "\n.\n",
    "bare CR end": "\r.\r",
}
OURS = {
    "from",
    "to",
    "subject",
    "date",
    "message-id",
    "mime-version",
    "content-type",
    "reply-to",
    "list-unsubscribe",
    "list-unsubscribe-post",
    "auto-submitted",
}


def hand_over(sink, identifier: str) -> EmailMessage:
    claim = claim_one(Notification.objects.get(id=identifier).id)
    assert claim is not None
    Smtp("mail", sink.url).send(message_for(claim))
    read(sink.envelopes[-1].content)
    return sink.messages[-1]


@pytest.mark.parametrize("line_break", BREAKS.values(), ids=BREAKS)
@pytest.mark.fault("H1", "H2")
def test_no_value_becomes_a_header_a_recipient_or_a_message(smtp_sink, line_break):
    evil = f"Jo{line_break}Bcc: evil@example.net{line_break}MAIL FROM:<evil@example.net>{line_break}RCPT TO:<e@x.net>"
    caller = make_caller()
    template = email_template(caller, "Dear ((name))", subject="For ((name))")

    answer = caller.send_email(template, personalisation={"name": evil}, reference=evil)
    assert answer.status_code == 201, answer.json()
    mail = hand_over(smtp_sink, answer.json()["id"])

    assert len(smtp_sink.messages) == 1
    assert smtp_sink.envelopes[0].rcpt_tos == ["someone@example.org"]
    assert {name.lower() for name in mail.keys()} <= OURS  # noqa: SIM118  a message may have several headers of one name
    assert len(mail.get_all("Subject")) == 1
    assert len(mail.get_all("To")) == 1
    assert not mail["Bcc"]


@pytest.mark.parametrize("name", ["Par\nks", "Parks\r\nBcc: evil@example.net", "Parks <evil@example.net>", '"Parks'])
def test_no_service_name_becomes_a_header_a_recipient_or_a_message(smtp_sink, name):
    caller = make_caller(name=name)

    answer = caller.send_email(email_template(caller))
    mail = hand_over(smtp_sink, answer.json()["id"])

    assert {header.lower() for header in mail.keys()} <= OURS  # noqa: SIM118
    assert len(mail["From"].addresses) == 1
    assert mail["From"].addresses[0].addr_spec.endswith("@signalbox.invalid")
    assert not mail["Bcc"]


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/u\r\nBcc: evil@example.net",
        "https://example.org/u>\n",
        "https://example.org/ü",
        "https://[::1",
    ],
)
def test_an_unsubscribe_url_is_one_header_or_rejected(smtp_sink, url):
    caller = make_caller()

    answer = caller.send_email(email_template(caller), one_click_unsubscribe_url=url)

    if answer.status_code == 400:
        return
    mail = hand_over(smtp_sink, answer.json()["id"])
    assert {header.lower() for header in mail.keys()} <= OURS  # noqa: SIM118
    assert len(mail.get_all("List-Unsubscribe")) == 1
    assert not mail["Bcc"]


@pytest.mark.parametrize("text", ["before\r\n.\r\nafter", ".\n..\n...", "x" * 100_000, "line\n" * 5000], ids=len)
@pytest.mark.fault("H1", "H2")
def test_a_body_is_one_message_and_comes_back_whole(smtp_sink, text):
    caller = make_caller()

    answer = caller.send_email(email_template(caller, "((text))"), personalisation={"text": text})
    mail = hand_over(smtp_sink, answer.json()["id"])

    assert len(smtp_sink.messages) == 1
    plain = next(mail.iter_parts()).get_content()
    assert "".join(plain.split()) == "".join(text.split())
    assert max(map(len, smtp_sink.envelopes[0].content.split(b"\r\n"))) < 998
