"""The headers of the unsubscribe button in mail programs: the source of their URL, and their bytes."""

import re
import uuid
from typing import Any

import pytest

from notifications.delivery import unsubscribe_links
from notifications.delivery.messages import OutgoingEmail
from notifications.delivery.outgoing import message_for
from notifications.delivery.providers import mime
from notifications.models import Notification, SandboxMessage
from tests.notifications.calling import email_template, make_caller
from tests.notifications.delivery.test_mime import read
from tests.notifications.draining import claim_one, drain_messages

pytestmark = pytest.mark.django_db

POST = "List-Unsubscribe=One-Click"
THEIRS = "https://example.org/u?id=7"


def outgoing(*, has_link: bool, **fields: Any) -> tuple[Notification, OutgoingEmail]:
    caller = make_caller()
    answer = caller.send_email(email_template(caller, unsubscribe_link=has_link), **fields)
    claim = claim_one(uuid.UUID(answer.json()["id"]))
    assert claim is not None
    message = message_for(claim)
    assert isinstance(message, OutgoingEmail)
    return Notification.objects.get(), message


@pytest.mark.parametrize("has_link", [True, False], ids=["link in the text", "no link in the text"])
@pytest.mark.parametrize("theirs", [THEIRS, None], ids=["URL of the caller", "no URL of the caller"])
def test_the_button_uses_the_callers_url_or_the_link_in_the_text(has_link: bool, theirs: str | None) -> None:
    notification, message = outgoing(has_link=has_link, **({"one_click_unsubscribe_url": theirs} if theirs else {}))
    ours = unsubscribe_links.url(notification)

    mail = read(mime.write(message))

    expected = theirs or (ours if has_link else None)
    assert mail["List-Unsubscribe"] == (f"<{expected}>" if expected else None)
    assert mail["List-Unsubscribe-Post"] == (POST if expected else None)
    assert (ours in message.text, ours in message.html) == (has_link, has_link)


def test_a_second_attempt_has_the_same_link() -> None:
    _, first = outgoing(has_link=True)
    Notification.objects.update(claimed_until=None)
    claim = claim_one(Notification.objects.get().id)
    assert claim is not None

    assert message_for(claim) == first


def test_the_longest_url_of_a_caller_arrives_whole() -> None:
    url = f"https://example.org/{'u' * (2000 - len('https://example.org/'))}"
    _, message = outgoing(has_link=False, one_click_unsubscribe_url=url)

    mail = read(mime.write(message))

    assert "".join(mail["List-Unsubscribe"].split()) == f"<{url}>"


def test_the_link_for_the_longest_recipient_fits_on_a_line() -> None:
    recipient = f"{'a' * 307}@example.org"
    _, message = outgoing(has_link=True, email_address=recipient)

    assert len(message.to) == 319
    assert re.findall(rb"\r\nList-Unsubscribe: <[^\r]+>\r\n", mime.write(message))


def test_the_sandbox_inbox_shows_the_link_as_a_button() -> None:
    caller = make_caller()
    caller.send_email(email_template(caller, unsubscribe_link=True))
    drain_messages()

    headers = SandboxMessage.objects.get().content.headers

    assert headers["List-Unsubscribe"] == f"<{unsubscribe_links.url(Notification.objects.get())}>"
    assert headers["List-Unsubscribe-Post"] == POST
