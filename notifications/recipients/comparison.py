"""Compare recipients with the team, the guest list and the simulated recipients.

Source: docs/reference/rendering.md §7, results.
"""

from notifications.recipients import email, phone


def normalise(text: str) -> str:
    """Return a recipient's form for comparison: a phone number, else an email address, else the text unchanged.

    >>> normalise("07700 900 123"), normalise("Fern@Quay.Example"), normalise("415 555 2671")
    ('447700900123', 'fern@quay.example', '415 555 2671')
    """
    try:
        return phone.parse(text, international=True, landlines=True).normalised
    except phone.InvalidPhoneNumber:
        pass
    try:
        return email.parse(text).key
    except email.InvalidEmailAddress:
        return text
