"""The bytes of an email: Python's parser returns each header unchanged, and every server accepts the lines."""

import re
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import parseaddr
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from notifications.delivery.messages import OutgoingEmail
from notifications.delivery.providers import mime
from notifications.rendering import email as rendering

LONGEST_LINE = 998  # octets; RFC 5322 §2.1.1
LONGEST_ENCODED_WORD = 75  # characters; RFC 2047 §2
LONGEST_LINE_WITH_ENCODED_WORD = 76
ENCODED_WORD = re.compile(rb"=\?[^?\s]+\?[bqBQ]\?[^?\s]*\?=")
ADDRESS = "parks@signalbox.invalid"


def email(**fields: Any) -> OutgoingEmail:
    values: dict[str, Any] = {
        "from_name": "Parks",
        "from_address": ADDRESS,
        "to": "ana@example.org",
        "subject": "Your visit",
        "text": "Dear Ana\n",
        "html": "<p>Dear Ana</p>",
        "message_id": "<2f0c4ed7@mail.invalid>",
    }
    return OutgoingEmail(**values | fields)


def read(raw: bytes) -> EmailMessage:
    """Check the bytes of a message and parse it."""
    assert raw.isascii()
    assert raw.endswith(b"\r\n")
    lines = raw.split(b"\r\n")
    assert [line for line in lines if b"\n" in line or b"\r" in line] == []
    assert [line for line in lines if len(line) > LONGEST_LINE] == []
    headers = raw.partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert [line for line in headers if not line.strip()] == []
    encoded = [line for line in headers if ENCODED_WORD.search(line)]
    assert [line for line in encoded if len(line) > LONGEST_LINE_WITH_ENCODED_WORD] == []
    assert [word for line in encoded for word in ENCODED_WORD.findall(line) if len(word) > LONGEST_ENCODED_WORD] == []
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    assert [part.defects for part in message.walk() if part.defects] == []
    return message


def sender_of(raw: bytes) -> tuple[str, str]:
    """Return the sender's name and email address. The newer parser adds a space between the encoded words of a name."""
    name, address = parseaddr(str(message_from_bytes(raw)["From"]))
    (same,) = read(raw)["From"].addresses
    assert same.addr_spec == address
    assert raw.count(address.encode()) == 1
    assert "".join(same.display_name.split()) == "".join(str(make_header(decode_header(name))).split())
    return str(make_header(decode_header(name))), address


SUBJECTS = {
    "short": "Your visit",
    "an accent": "Café",
    "many words": "plain words " * 40 + "end",
    "many accents": "Grüße " * 100 + "Ende",
    "one word of 400 characters": "x" * 400,
    "one word of 5,000 characters": "x" * 5000,
    "a word that fills its line": "x" * 67 + " end",
    "a word that is one too long for its line": "x" * 68 + " end",
    "a long word after a short one": f"see {'y' * 1200} now",
    "faces": "😀" * 300,
    "an encoded-word": "=?utf-8?q?x?=",
    "an encoded-word among others": "before =?utf-8?b?eA==?= after",
    "two encoded-words": "=?utf-8?q?a?= =?utf-8?q?b?=",
    "the beginning of an encoded-word": "what =?",
    "several blanks": "a  b   c",
    "only signs": "<>()[]\\\"'@,;:.",
    "nothing": "",
}


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
def test_a_subject_is_read_back_unchanged(subject: str) -> None:
    assert read(mime.write(email(subject=subject)))["Subject"] == subject


@pytest.mark.parametrize("subject", ["Your visit", "plain words " * 40 + "end"])
def test_a_plain_subject_stays_readable_in_the_source(subject: str) -> None:
    assert b"=?" not in mime.write(email(subject=subject))


# The renderer returns a subject in one line without control characters.
@given(subject=st.text(max_size=300), name=st.text(max_size=300))
@example(subject="a" * 66 + " é", name='"')
@settings(max_examples=150, deadline=None, derandomize=True)
def test_any_rendered_subject_and_name_are_read_back(subject: str, name: str) -> None:
    subject = rendering.render_subject("((s))", {"s": subject})
    name = " ".join(rendering.render_subject("((s))", {"s": name}).split())

    raw = mime.write(email(subject=subject, from_name=name))

    assert read(raw)["Subject"] == subject
    assert sender_of(raw) == (name, ADDRESS)


NAMES = {
    "plain": "Parks",
    "signs": "Café & Parks, Ltd",
    "ASCII signs": "Parks, Ltd (north) <x@example.org>",
    "a quote": 'The "Old" Harbour \\ Office',
    "an encoded-word": "=?utf-8?q?x?=",
    "an encoded-word that has to be quoted": "a, =?utf-8?q?x?=",
    "255 accents": "ü" * 255,
    "255 letters": "x" * 255,
    "255 quotes": '"' * 255,
    "1,000 letters": "x" * 1000,
    "nothing": "",
    "many words": "Ämter und Büros " * 15 + "Ende",
    "many plain words": "Offices and Departments, " * 10 + "End",
}


@pytest.mark.parametrize("address", [ADDRESS, f"{'a' * 64}@{'b' * 60}.{'c' * 60}.example"], ids=["short", "long"])
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_sender_is_read_back_unchanged(name: str, address: str) -> None:
    assert sender_of(mime.write(email(from_name=name, from_address=address))) == (name, address)


@pytest.mark.parametrize("characters", [20, 978, 979, 2000, 5000])
def test_an_unsubscribe_url_of_any_length_is_read_back(characters: int) -> None:
    """Readers ignore white space within the brackets. Source: RFC 2369 §2."""
    url = f"<https://example.org/{'u' * (characters - len('https://example.org/'))}>"

    raw = mime.write(email(headers={"List-Unsubscribe": url, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}))

    message = read(raw)
    assert "".join(message["List-Unsubscribe"].split()) == url
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    is_one_line = f"List-Unsubscribe: {url}\r\n".encode() in raw
    assert is_one_line == (len(f"List-Unsubscribe: {url}") <= LONGEST_LINE)


@pytest.mark.parametrize("line_end", ["\r\n", "\n", "\r", "\r\n ", "\r\n\r\n"])
@pytest.mark.parametrize(
    "field", ["subject", "to", "reply_to", "from_name", "from_address", "message_id", "List-Unsubscribe"]
)
@pytest.mark.parametrize("letter", ["a", "é"])
def test_no_header_accepts_a_value_of_several_lines(field: str, line_end: str, letter: str) -> None:
    value = f"{letter}{line_end}Bcc: eve@example.org"
    fields: dict[str, Any] = {"headers": {field: value}} if field == "List-Unsubscribe" else {field: value}

    with pytest.raises(ValueError, match="several lines"):
        mime.write(email(**fields))


def test_both_parts_have_short_lines() -> None:
    raw = mime.write(email(text="x" * 5000 + "\n.\n", html="<p>" + "é" * 5000 + "</p>"))

    plain, html = read(raw).iter_parts()
    assert plain.get_content() == "x" * 5000 + "\r\n.\r\n"
    assert html.get_content() == "<p>" + "é" * 5000 + "</p>"
