"""Parse the phone numbers that a text message can be sent to. Source: docs/reference/rendering.md §7.

The number plan comes from the library `phonenumbers`. Its version is pinned, because its data decide which numbers are
accepted. Allowed characters, shapes, texts and prices are defined in this package.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumberFormat, PhoneNumberType, ValidationResult

from notifications.recipients.dialled import Dialled, Shape, read
from notifications.recipients.outcomes import InvalidPhoneNumber, PhoneRejection
from notifications.recipients.prices import PriceTable

__all__ = [
    "ContactNumber",
    "InvalidPhoneNumber",
    "PhoneNumber",
    "PhoneRejection",
    "displayed",
    "hint",
    "parse",
    "parse_service_contact",
]

UK_CODE = 44
UK_DIGITS = 10
MAINLAND_MULTIPLIER = 1  # the price for 44 in the table is the price of the crown dependencies
SHORTEST, LONGEST = 8, 15  # digits of an international number; E.164 sets the maximum
EMERGENCY_NUMBERS = frozenset({"999", "112"})
CROWN_DEPENDENCIES = frozenset({"JE", "GG", "IM"})

# The 1,000 numbers that Ofcom reserves for fiction. They are accepted so that examples and tests can use them.
FICTION_RANGE = range(7700_900000, 7700_901000)

_REGION = "GB"
_DELIVERABLE = frozenset(
    {
        PhoneNumberType.FIXED_LINE,
        PhoneNumberType.MOBILE,
        PhoneNumberType.FIXED_LINE_OR_MOBILE,
        PhoneNumberType.UAN,
        PhoneNumberType.PERSONAL_NUMBER,
    }
)
_LANDLINES = frozenset({PhoneNumberType.FIXED_LINE, PhoneNumberType.FIXED_LINE_OR_MOBILE, PhoneNumberType.UAN})
_LANDLINE_STARTS = ("1", "2", "3", "55")


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneNumber:
    """A valid phone number.

    as_given: the number as sent, trimmed, without ignorable characters; for responses and callbacks
    normalised: E.164 without the plus; for sending and comparison
    is_international: True outside the mainland UK, where the multiplier comes from the price table
    country_prefix: the prefix in the price table
    refused: the permission that the service lacks, or None; the API reports it after the errors of the template
    """

    as_given: str
    normalised: str
    is_international: bool
    crown_dependency: bool
    country_prefix: str
    rate_multiplier: int
    numeric_sender: bool
    refused: PhoneRejection | None = None

    @property
    def key(self) -> str:
        """Return the form for storing and comparison, as `EmailAddress` has one."""
        return self.normalised

    @property
    def display(self) -> str:
        """Return the national format for +44, the international format for others."""
        number = phonenumbers.parse(f"+{self.normalised}")
        is_uk = number.country_code == UK_CODE
        form = PhoneNumberFormat.NATIONAL if is_uk else PhoneNumberFormat.INTERNATIONAL
        return phonenumbers.format_number(number, form)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactNumber:
    """A number that people can call a service on. Nothing is sent to it, so short numbers such as 101 are valid."""

    as_given: str
    normalised: str
    display: str


def parse(text: str, *, international: bool, landlines: bool, prices: PriceTable | None = None) -> PhoneNumber:
    """Parse a recipient's phone number.

    international, landlines: permissions of the service; they decide `refused` and which error is raised
    prices: the operator's price table; the shipped table if None
    Raises InvalidPhoneNumber with any outcome except INTERNATIONAL_NOT_ALLOWED.

    >>> parse("07700 900 123", international=False, landlines=False).normalised
    '447700900123'
    >>> parse("+33 6 98 76 54 32", international=False, landlines=False).refused
    <PhoneRejection.INTERNATIONAL_NOT_ALLOWED: 'international_not_allowed'>
    """
    prices = prices or PriceTable.shipped()
    dialled = read(text)
    number = _resolve(dialled)
    if number is None:
        raise InvalidPhoneNumber(_error(dialled, landlines=landlines, prices=prices))

    code = str(number.country_code)
    prefix = prices.prefix_of(code, str(number.national_number))
    price = prices.prices.get(prefix)
    if price is None:
        raise InvalidPhoneNumber(PhoneRejection.UNSUPPORTED_COUNTRY_CODE)
    is_uk = number.country_code == UK_CODE
    is_fiction = is_uk and _is_fiction(number)
    is_crown = is_uk and not is_fiction and phonenumbers.region_code_for_number(number) in CROWN_DEPENDENCIES
    return PhoneNumber(
        as_given=dialled.as_given,
        normalised=f"{code}{phonenumbers.national_significant_number(number)}",
        is_international=is_crown or not is_uk,
        crown_dependency=is_crown,
        country_prefix=prefix,
        rate_multiplier=MAINLAND_MULTIPLIER if is_uk and not is_crown else price.multiplier,
        numeric_sender=price.numeric_sender,
        refused=None if is_fiction else _error_by_permissions(number, international=international, landlines=landlines),
    )


def displayed(text: str) -> str:
    """Return a phone number in the form for people, and any other recipient or sender unchanged.

    >>> displayed("447700900123"), displayed("+33698765432"), displayed("PIGEON"), displayed("a@example.org")
    ('07700 900123', '+33 6 98 76 54 32', 'PIGEON', 'a@example.org')
    """
    if "@" in text:
        return text
    try:
        return parse(text, international=True, landlines=True).display
    except InvalidPhoneNumber:
        return text


def parse_service_contact(text: str, *, prices: PriceTable | None = None) -> ContactNumber:
    """Parse the contact number of a service.

    Raises InvalidPhoneNumber with EMERGENCY_NUMBER, UNKNOWN_CHARACTER, TOO_SHORT (no digits) or INVALID_NUMBER.

    >>> parse_service_contact("101").normalised
    '44101'
    """
    dialled = read(text)
    if len(dialled.digits) == 3 and not dialled.has_plus:
        if dialled.digits in EMERGENCY_NUMBERS:
            raise InvalidPhoneNumber(PhoneRejection.EMERGENCY_NUMBER)
        return ContactNumber(as_given=dialled.as_given, normalised=f"{UK_CODE}{dialled.digits}", display=dialled.digits)
    try:
        number = parse(text, international=True, landlines=True, prices=prices)
    except InvalidPhoneNumber as error:
        if not dialled.digits:
            raise
        raise InvalidPhoneNumber(PhoneRejection.INVALID_NUMBER) from error
    return ContactNumber(as_given=number.as_given, normalised=number.normalised, display=number.display)


def hint(text: str) -> str | None:
    """Return one sentence on how to correct a rejected number, or None if the number does not show it.

    Source: docs/reference/running.md §11.

    >>> hint("+44 7700 90012")
    '9 digits after the country code; a UK mobile has 10.'
    """
    try:
        dialled = read(text)
    except InvalidPhoneNumber:
        return None
    if dialled.shape is Shape.UNSURE:
        return "Start a UK number with 0, any other with + and its country code."
    if dialled.shape is Shape.FOREIGN:
        return None
    count = len(dialled.number)
    if dialled.number.startswith("7") and count != UK_DIGITS:
        start = "the country code" if dialled.significant.startswith(str(UK_CODE)) else "the leading 0"
        return f"{count} digit{'' if count == 1 else 's'} after {start}; a UK mobile has {UK_DIGITS}."
    return None if dialled.number.startswith("7") else "A UK mobile starts 07, or +447."


def _resolve(dialled: Dialled) -> phonenumbers.PhoneNumber | None:
    """Return the deliverable number that the digits stand for, or None: step 5 of the contract's table."""
    for number in _readings(dialled):
        if dialled.shape is Shape.UK and number.country_code != UK_CODE:
            continue  # a UK number with an extra digit is invalid; it must not become a foreign number
        if _is_deliverable(number):
            return number
    return None


def _readings(dialled: Dialled) -> Iterator[phonenumbers.PhoneNumber]:
    if not dialled.digits:
        return
    for typed in (f"+{dialled.digits}" if dialled.has_plus else dialled.digits, dialled.significant):
        number = _parsed(typed)
        if number is None:
            continue
        if not phonenumbers.is_possible_number(number):
            number = _parsed("+" + typed.removeprefix("+"))
            if number is None or not phonenumbers.is_possible_number(number):
                continue
        yield number


def _parsed(typed: str) -> phonenumbers.PhoneNumber | None:
    try:
        return phonenumbers.parse(typed, _REGION)
    except NumberParseException:
        return None


def _is_fiction(number: phonenumbers.PhoneNumber) -> bool:
    return number.country_code == UK_CODE and number.national_number in FICTION_RANGE


def _is_deliverable(number: phonenumbers.PhoneNumber) -> bool:
    if _is_fiction(number):
        return True
    return phonenumbers.is_valid_number(number) and phonenumbers.number_type(number) in _DELIVERABLE


def _error_by_permissions(
    number: phonenumbers.PhoneNumber, *, international: bool, landlines: bool
) -> PhoneRejection | None:
    """Return the permission that a valid number needs and the service lacks, or None: table 7.1."""
    if number.country_code != UK_CODE:
        return None if international else PhoneRejection.INTERNATIONAL_NOT_ALLOWED
    if not landlines and phonenumbers.number_type(number) in _LANDLINES:
        return PhoneRejection.NOT_A_UK_MOBILE
    return None


def _error(dialled: Dialled, *, landlines: bool, prices: PriceTable) -> PhoneRejection:
    """Return the reason why digits are not a valid number: the first matching row of table 7.2."""
    number, count = dialled.number, len(dialled.number)
    if dialled.shape is Shape.UK:
        if not number:
            return PhoneRejection.TOO_SHORT
        if number.startswith("7") or (landlines and number.startswith(_LANDLINE_STARTS)):
            if count == UK_DIGITS:
                return PhoneRejection.INVALID_NUMBER
            return PhoneRejection.TOO_SHORT if count < UK_DIGITS else PhoneRejection.TOO_LONG
        return PhoneRejection.NOT_A_UK_MOBILE
    if count < SHORTEST:
        return PhoneRejection.TOO_SHORT
    if count > LONGEST:
        return PhoneRejection.TOO_LONG
    if not prices.reaches(number):
        return PhoneRejection.UNSUPPORTED_COUNTRY_CODE
    if dialled.shape is Shape.UNSURE and count in (9, 10):
        return (
            PhoneRejection.INVALID_NUMBER
        )  # a UK number without its 0, or a foreign number: no other outcome fits both
    return _length_verdict(number)


def _length_verdict(number: str) -> PhoneRejection:
    parsed = _parsed(f"+{number}")
    if parsed is None:
        return PhoneRejection.INVALID_NUMBER
    match phonenumbers.is_possible_number_with_reason(parsed):
        case ValidationResult.TOO_SHORT | ValidationResult.IS_POSSIBLE_LOCAL_ONLY:
            return PhoneRejection.TOO_SHORT
        case ValidationResult.TOO_LONG:
            return PhoneRejection.TOO_LONG
        case _:
            return PhoneRejection.INVALID_NUMBER
