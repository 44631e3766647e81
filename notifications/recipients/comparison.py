"""Compare recipients with the team, the guest list and the simulated recipients.

Source: docs/reference/rendering.md §7, results.
"""

from collections.abc import Iterable

from notifications.recipients import email, phone
from notifications.recipients.prices import PriceTable


def normalise(text: str, *, prices: PriceTable | None = None) -> str:
    """Return a recipient's form for comparison: a phone number, else an email address, else the text unchanged.

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
    """Return whether a recipient is in `allowed`, regardless of the notation on either side."""
    wanted = normalise(recipient, prices=prices)
    return any(normalise(other, prices=prices) == wanted for other in allowed)
