"""Find reports in plain text, as qmail and older releases of Exim write them: reasons, and below them our email.

Source: https://cr.yp.to/proto/qsbmf.txt; docs/reference/suppressions.md §5.
"""

import re
from dataclasses import dataclass

from notifications.delivery.returned_emails.reading.headers import fields_of
from notifications.delivery.returned_emails.reading.limits import MOST_FIELDS_BYTES
from notifications.delivery.returned_emails.reading.parts import Email

_BEGINS = "Hi. This is the "
_COPY = re.compile(r"^-[^\n]*+\n\s*+(?=[!-9;-~]+:)", re.MULTILINE)  # the first header of our email follows
_PARAGRAPH = re.compile(r"^<([^<>\s]{1,400})>:[ \t]*\n((?:[^\n]+\n)++)", re.MULTILINE)
_EXIM_HEADER = "X-Failed-Recipients"
_EXIM_TEXT = "This message was created automatically by mail delivery software."


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainBounce:
    """A report. message_id: of the copy below; reasons: texts that may have a status code"""

    message_id: str
    recipients: list[str]
    reasons: list[str]


def find(read: Email) -> PlainBounce | None:
    """Return the report in an email without parts, or None."""
    if read.top.headers.kind != "text/plain":
        return None
    text = read.text(read.top, most=MOST_FIELDS_BYTES).lstrip()
    failed = read.top.headers.first(_EXIM_HEADER)
    is_exim = bool(failed) and text.startswith(_EXIM_TEXT)
    if not is_exim and not text.startswith(_BEGINS):
        return None
    copy = _COPY.search(text)
    if copy is None:
        return None
    message_id = fields_of(text[copy.end() :].encode("utf-8", "replace")).first("Message-ID")
    above = text[: copy.start()]
    if is_exim:
        recipients = [one.strip() for one in failed.split(",")]
        return PlainBounce(message_id=message_id, recipients=recipients, reasons=[above])
    paragraphs = _PARAGRAPH.findall(above)
    return PlainBounce(
        message_id=message_id,
        recipients=[recipient for recipient, _ in paragraphs],
        reasons=[reason for _, reason in paragraphs],
    )
