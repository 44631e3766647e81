"""The reasons to reject a phone number, with their texts in the API and the console.

Source: docs/reference/rendering.md §7.
"""

from enum import StrEnum
from typing import Self

from notifications import errors
from notifications.errors import NotificationError


class PhoneRejection(StrEnum):
    """A reason to reject a phone number.

    error: the error of the sending API
    ui_message: the text for staff in the console and in CSV reports
    """

    error: type[NotificationError]
    ui_message: str

    TOO_SHORT = "too_short", errors.NotEnoughDigits, "Mobile number is too short"
    TOO_LONG = "too_long", errors.TooManyDigits, "Mobile number is too long"
    NOT_A_UK_MOBILE = (
        "not_a_uk_mobile",
        errors.NotAUkMobile,
        "This does not look like a UK mobile number – double check the mobile number you entered",
    )
    UNKNOWN_CHARACTER = (
        "unknown_character",
        errors.LettersOrSymbols,
        "Mobile numbers can only include: 0 1 2 3 4 5 6 7 8 9 ( ) + -",
    )
    UNSUPPORTED_COUNTRY_CODE = (
        "unsupported_country_code",
        errors.CountryPrefixUnknown,
        "Country code not found - double check the mobile number you entered",
    )
    INTERNATIONAL_NOT_ALLOWED = (
        "international_not_allowed",
        errors.InternationalNotAllowed,
        "This does not look like a UK mobile number – double check the mobile number you entered",
    )
    INVALID_NUMBER = (
        "invalid_number",
        errors.PhoneNumberInvalid,
        "Number is not valid – double check the phone number you entered",
    )
    EMERGENCY_NUMBER = (  # only for the contact number of a service, a console setting; the API never returns it
        "unsupported_emergency_number",
        errors.EmergencyNumber,
        "Phone number cannot be an emergency number",
    )

    def __new__(cls, value: str, error: type[NotificationError], ui_message: str) -> Self:
        """Create a member from a row of the table below."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.error = error
        member.ui_message = ui_message
        return member

    @property
    def v2_message(self) -> str:
        """Return the error text without the name of the property."""
        return self.error.text.removeprefix("phone_number ")


class InvalidPhoneNumber(Exception):
    """The text is not a phone number that a message can be sent to.

    `outcome` is the reason. The error text never contains the number.
    """

    def __init__(self, outcome: PhoneRejection) -> None:
        super().__init__(outcome.v2_message)
        self.outcome = outcome
