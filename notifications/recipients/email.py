"""Parse the email addresses that a message can be sent to.

The rules are deliberately narrower than the mail standards: no quoted local parts, no IP addresses, no DNS look-ups.
Source: docs/reference/rendering.md §8.
"""

import re
from dataclasses import dataclass
from string import whitespace

from config.host_names import ascii_host
from config.unseen import without_unseen
from notifications.errors import EmailAddressInvalid

MAX_CHARACTERS = 320
MAX_HOST_CHARACTERS = 253  # of a host name in the DNS, RFC 1035 §2.3.4

_EMAIL_ADDRESS = re.compile(r"\A(?P<local>[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+)@(?P<host>[^\s@.][^\s@]*)\Z")
_LABEL = r"[A-Za-z0-9]+(?:--?[A-Za-z0-9]+)*"  # and at most 63 characters
_LAST_LABEL = r"(?:[A-Za-z]{2,63}|[Xx][Nn]--(?:[A-Za-z0-9]+-)*[A-Za-z0-9]+)"
_HOST = re.compile(rf"(?:(?=[^.]{{1,63}}\.){_LABEL}\.)+(?=[^.]{{1,63}}\Z){_LAST_LABEL}")


class InvalidEmailAddress(Exception):
    """The text is not an email address that a message can be sent to. The error text never contains the value."""

    v2_message = EmailAddressInvalid.text.removeprefix("email_address ")
    ui_message = "Enter an email address in the correct format, like name@example.com"

    def __init__(self) -> None:
        super().__init__(self.v2_message)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailAddress:
    """An email address in four forms.

    as_given: in the given case; for storing and display
    normalised: in lower case; for display
    key: the key of the mailbox, see `config.mailboxes`; for storing and comparison
    ascii: in the given case, with the host in ASCII; for sending only
    """

    as_given: str
    normalised: str
    key: str
    ascii: str


def parse(text: str) -> EmailAddress:
    """Parse an email address.

    Raises InvalidEmailAddress, with the same text for every cause.

    >>> parse("Fern@Bücher.example").ascii
    'Fern@xn--bcher-kva.example'
    """
    address = without_unseen(text).strip(whitespace)
    match = _EMAIL_ADDRESS.match(address)
    if match is None or len(address) > MAX_CHARACTERS or ".." in address:
        raise InvalidEmailAddress
    local, host = match["local"], _ascii_host(match["host"])
    return EmailAddress(
        as_given=address, normalised=address.lower(), key=f"{local.lower()}@{host}", ascii=f"{local}@{host}"
    )


def _ascii_host(host: str) -> str:
    try:
        encoded = ascii_host(host)
    except UnicodeError as error:
        raise InvalidEmailAddress from error
    if len(encoded) > MAX_HOST_CHARACTERS or not _HOST.fullmatch(encoded):
        raise InvalidEmailAddress
    return encoded
