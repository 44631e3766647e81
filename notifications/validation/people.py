"""Validate the recipients of a team and a guest list, with the error texts of the sending API."""

from dataclasses import dataclass

from config.invalid import InvalidValue
from notifications.recipients import email, phone

IN_TEAM = "This person is already in the team."
ON_GUEST_LIST = "already on the guest list"

_MAX_NUMBER_CHARACTERS = 40  # of the database column, spaces included


@dataclass(frozen=True, slots=True)
class GivenRecipient:
    """An email address or phone number: as given, for storing, and normalised, for comparison."""

    given: str
    normalised: str


def parse_email_address(text: str) -> GivenRecipient:
    """Parse an email address, or raise InvalidValue.

    >>> parse_email_address("Ann@example.org").normalised
    'ann@example.org'
    """
    try:
        parsed = email.parse(text)
    except email.InvalidEmailAddress as error:
        raise InvalidValue(error.v2_message) from error
    return GivenRecipient(parsed.as_given, parsed.key)


def parse_phone_number(text: str) -> GivenRecipient:
    """Parse a phone number of any country. Whether the service may send texts to it is checked elsewhere."""
    try:
        parsed = phone.parse(text, international=True, landlines=True)
    except phone.InvalidPhoneNumber as error:
        raise InvalidValue(error.outcome.v2_message) from error
    if len(parsed.as_given) > _MAX_NUMBER_CHARACTERS:
        raise InvalidValue(f"Use at most {_MAX_NUMBER_CHARACTERS} characters. You entered {len(parsed.as_given)}.")
    return GivenRecipient(parsed.as_given, parsed.normalised)


def check_guest_list_has_room(number: int, most: int) -> None:
    """Raise InvalidValue if a list of one kind has more entries than the operator allows. 0 means no limit."""
    if most and number > most:
        raise InvalidValue(f"The guest list holds {most} entries of this kind and is full. Remove one first.")
