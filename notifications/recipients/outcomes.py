"""Why a phone number is not taken, and the words for it in the API and in the console. Source: Rendering §7."""

from enum import StrEnum
from typing import Self

_SCHEMA = "ValidationError"
_REQUEST = "BadRequestError"


class Outcome(StrEnum):
    """One reason against a number, with its three texts in one place.

    v2_kind, v2_message: error of the sending API; a ValidationError is shown with the field name before the message
    ui_message: what staff read in the console and in CSV reports
    """

    v2_kind: str
    v2_message: str
    ui_message: str

    TOO_SHORT = "too_short", _SCHEMA, "Not enough digits", "Mobile number is too short"
    TOO_LONG = "too_long", _SCHEMA, "Too many digits", "Mobile number is too long"
    NOT_A_UK_MOBILE = (
        "not_a_uk_mobile",
        _SCHEMA,
        "Not a UK mobile number",
        "This does not look like a UK mobile number – double check the mobile number you entered",
    )
    UNKNOWN_CHARACTER = (
        "unknown_character",
        _SCHEMA,
        "Must not contain letters or symbols",
        "Mobile numbers can only include: 0 1 2 3 4 5 6 7 8 9 ( ) + -",
    )
    UNSUPPORTED_COUNTRY_CODE = (
        "unsupported_country_code",
        _SCHEMA,
        "Not a valid country prefix",
        "Country code not found - double check the mobile number you entered",
    )
    INTERNATIONAL_NOT_ALLOWED = (
        "international_not_allowed",
        _REQUEST,
        "Cannot send to international mobile numbers",
        "This does not look like a UK mobile number – double check the mobile number you entered",
    )
    INVALID_NUMBER = (
        "invalid_number",
        _SCHEMA,
        "Number is not valid – double check the phone number you entered",
        "Number is not valid – double check the phone number you entered",
    )
    EMERGENCY_NUMBER = (  # contact numbers of services only, which are console settings; the API never says it
        "unsupported_emergency_number",
        _SCHEMA,
        "Phone number cannot be an emergency number",
        "Phone number cannot be an emergency number",
    )

    def __new__(cls, value: str, v2_kind: str, v2_message: str, ui_message: str) -> Self:
        """Make a member from its row of the table."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.v2_kind = v2_kind
        member.v2_message = v2_message
        member.ui_message = ui_message
        return member


class InvalidPhoneNumber(Exception):
    """The text is no phone number a message can be sent to; `outcome` says why. The number is in no message."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.v2_message)
        self.outcome = outcome
