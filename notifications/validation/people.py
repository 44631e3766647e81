"""Team members and guests: their addresses and numbers, refused in the words of the sending API."""

from dataclasses import dataclass

from config.invalid import InvalidValue
from notifications.recipients import email, phone

IN_TEAM = "This person is in the team already."
ON_GUEST_LIST = "on the guest list already"

_MAX_NUMBER_CHARACTERS = 40  # with blanks: what the column holds


@dataclass(frozen=True, slots=True)
class Recipient:
    """An address or number as it is stored, and in the form it is compared in."""

    given: str
    normalised: str


def parse_email_address(text: str) -> Recipient:
    """Read an address.

    >>> parse_email_address("Ann@example.org").normalised
    'ann@example.org'
    """
    try:
        parsed = email.parse(text)
    except email.InvalidEmailAddress as error:
        raise InvalidValue(error.v2_message) from error
    return Recipient(parsed.as_given, parsed.normalised)


def parse_phone_number(text: str) -> Recipient:
    """Read a number of any country: whether a service may text it is a rule of its own."""
    try:
        parsed = phone.parse(text, international=True, landlines=True)
    except phone.InvalidPhoneNumber as error:
        raise InvalidValue(error.outcome.v2_message) from error
    if len(parsed.as_given) > _MAX_NUMBER_CHARACTERS:
        raise InvalidValue(f"Use at most {_MAX_NUMBER_CHARACTERS} characters; this has {len(parsed.as_given)}.")
    return Recipient(parsed.as_given, parsed.normalised)


def check_guest_list_has_room(number: int, most: int) -> None:
    """Raise InvalidValue where a list of one kind holds more entries than the operator allows; 0 is no limit."""
    if most and number > most:
        raise InvalidValue(f"The guest list holds {most} of these and is full. Remove one first.")
