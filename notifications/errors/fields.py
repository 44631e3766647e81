"""Errors of the properties and parameters of a request.

Source: docs/reference/sending-api.md §2.2.
"""

from collections.abc import Iterable, Sequence

from config.rest.api_errors import SendingError, shortened


def shown(value: object) -> str:
    """Return a value as the contract's messages show it: its `repr` without apostrophes, shortened.

    >>> shown(None), shown(["a", 1]), shown("x")
    ('None', '[a, 1]', 'x')
    """
    return shortened(repr(value).replace("'", ""))


class ValidationError(SendingError):
    kind = "ValidationError"


class InvalidRequest(ValidationError):
    """All errors of one request in the contract's order. The documentation link is that of the first one."""

    def __init__(self, errors: Sequence[SendingError]) -> None:
        super().__init__("; ".join(error.message for error in errors))
        self._errors = errors
        self.slug = errors[0].slug

    @property
    def errors(self) -> Sequence[SendingError]:
        return self._errors


class PropertyMissing(ValidationError):
    slug = "required-property"
    text = "{name} is a required property"
    fix = "Add the property that the message names."


class PropertiesUnexpected(ValidationError):
    """One error that names every unknown property."""

    slug = "unexpected-property"
    text = "Additional properties are not allowed ({names} unexpected)"
    fix = "Remove these properties. Each operation's documentation lists the properties that it accepts."

    def __init__(self, *, names: Iterable[str]) -> None:
        unknown = sorted(names)
        listed = shortened(", ".join(map(shortened, unknown)))
        super().__init__(names=f"{listed} {'was' if len(unknown) == 1 else 'were'}")


class WrongType(ValidationError):
    slug = "wrong-type"
    text = "{name} {value} is not of type {type}"
    fix = "Send a value of the type that the message names."


class BodyNotAnObject(WrongType):
    text = "{value} is not of type object"


class NotAUuid(ValidationError):
    slug = "not-a-uuid"
    text = "{name} is not a valid UUID"
    fix = "Copy the id from the console or from an earlier response."


class NotOneOf(ValidationError):
    slug = "not-one-of"
    text = "{name} {value} is not one of [{allowed}]"
    fix = "Use one of the listed values."


class ReferenceTooLong(ValidationError):
    slug = "reference-too-long"
    text = "reference {value} is too long"
    fix = "Use a reference of at most 1000 characters."


class TooManyItems(ValidationError):
    slug = "too-many-items"
    text = "personalisation {name} has more than {limit} items"
    fix = "Send at most 10,000 items in one value. Items of inner lists count, too."


class TemplateVersionInvalid(ValidationError):
    slug = "template-version"
    text = "template_version {value} is neither a version number nor draft"
    fix = 'Use the number of a version, such as `3`, or `"draft"`.'


class LanguageInvalid(ValidationError):
    slug = "language"
    text = "language {value} is not a language code"
    fix = 'Use a code such as `"en"` or `"cy"`, or leave `language` out for the first language of the template.'


class ScheduledForFormat(ValidationError):
    slug = "scheduled-for-format"
    text = (
        "scheduled_for datetime format is invalid. It must be a valid ISO8601 date time format, "
        "https://en.wikipedia.org/wiki/ISO_8601"
    )
    fix = "Enter a date and time, such as `2026-11-20T09:00:00Z`."


class ScheduledForPast(ValidationError):
    slug = "scheduled-for-past"
    text = "scheduled_for datetime can not be in the past"
    fix = "Use a time in the future, or leave `scheduled_for` out to send now."


class ScheduledForTooFar(ValidationError):
    slug = "scheduled-for-too-far"
    text = "scheduled_for datetime can only be 24 hours in the future"
    fix = "Use a time within the next 24 hours."


class FallbackEmailAddressInvalid(ValidationError):
    slug = "fallback-email-address"
    text = "fallback.email_address Not a valid email address"
    fix = "Check the email address of the fallback for spelling mistakes."


class EmailAddressInvalid(ValidationError):
    slug = "email-address"
    text = "email_address Not a valid email address"
    fix = "Check the email address for spelling mistakes."


class UnsubscribeUrlInvalid(ValidationError):
    slug = "unsubscribe-url"
    text = "one_click_unsubscribe_url is not a valid https url"
    fix = "Use a complete URL that starts with `https://`."


class UnsubscribeUrlTooLong(ValidationError):
    slug = "unsubscribe-url-too-long"
    text = "one_click_unsubscribe_url {value} is too long"
    fix = "Use a URL of at most 2000 characters, for example with a short id of the recipient."


class CallbackIncomplete(ValidationError):
    """The text does not repeat the value, which may contain a token."""

    slug = "callback"
    text = "callback must be an object with only url and bearer_token, both of type string"
    fix = 'Send `"callback": {"url": "https://…", "bearer_token": "…"}`, or leave `callback` out.'


class CallbackUrlInvalid(ValidationError):
    slug = "callback-url"
    text = "callback url {reason}"
    fix = "Use a complete URL that starts with `https://` and leads to a public host."


class CallbackTokenInvalid(ValidationError):
    slug = "callback-token"
    text = "callback bearer_token must have 10 to 2000 letters, digits or symbols, without spaces and accents"
    fix = "Use a longer token of ASCII characters. Each callback sends it as `Authorization: Bearer`."


class PhoneNumberError(ValidationError):
    """A phone number is invalid. The messages never contain the number."""


class TooManyDigits(PhoneNumberError):
    slug = "phone-number-too-many-digits"
    text = "phone_number Too many digits"
    fix = "Check the number of digits. A UK mobile number has 11, including the leading 0."


class NotEnoughDigits(PhoneNumberError):
    slug = "phone-number-not-enough-digits"
    text = "phone_number Not enough digits"
    fix = "Check the number of digits. A UK mobile number has 11, including the leading 0."


class NotAUkMobile(PhoneNumberError):
    slug = "phone-number-not-a-uk-mobile"
    text = "phone_number Not a UK mobile number"
    fix = "Use a number that starts with 07, or add the country code after a `+`."


class LettersOrSymbols(PhoneNumberError):
    slug = "phone-number-letters-or-symbols"
    text = "phone_number Must not contain letters or symbols"
    fix = "Use only digits, spaces, hyphens, brackets and a leading `+`."


class CountryPrefixUnknown(PhoneNumberError):
    slug = "phone-number-country-prefix"
    text = "phone_number Not a valid country prefix"
    fix = "Check the country code after the `+`."


class PhoneNumberInvalid(PhoneNumberError):
    slug = "phone-number-not-valid"
    text = "phone_number Number is not valid – double check the phone number you entered"
    fix = "Check the number with the recipient."


class EmergencyNumber(PhoneNumberError):  # only for contact numbers of services, which the API does not set
    text = "phone_number Phone number cannot be an emergency number"
