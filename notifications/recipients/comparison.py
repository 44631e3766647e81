"""Whether two recipients are the same one: team, guest list and simulated recipients.

Source: docs/reference/rendering.md §7, results.
"""

from collections.abc import Iterable

from notifications.recipients import email, phone
from notifications.recipients.prices import PriceTable


def normalise(text: str, *, prices: PriceTable | None = None) -> str:
    """Return the form recipients are compared in: as a phone number, else as an email address, else as it is.

    >>> normalise("07700 900 123"), normalise("Fern@Quay.Example"), normalise("415 555 2671")
    ('447700900123', 'fern@quay.example', '415 555 2671')
    """
    try:
        return phone.parse(text, international=True, landlines=True, prices=prices).normalised
    except phone.InvalidPhoneNumber:
        pass
    try:
        return email.parse(text).normalised
    except email.InvalidEmailAddress:
        return text


def matches(recipient: str, allowed: Iterable[str], *, prices: PriceTable | None = None) -> bool:
    """Say whether a recipient is among the allowed ones, however either side is written."""
    wanted = normalise(recipient, prices=prices)
    return any(normalise(other, prices=prices) == wanted for other in allowed)
