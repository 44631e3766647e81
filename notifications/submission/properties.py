"""What a caller writes as text, read alike for programs and people. Source: the sending contract §5, §6.1, §16."""

from collections.abc import Mapping

from notifications.errors import ValidationError, shown
from notifications.models import Permission, Service
from notifications.recipients import email, phone
from notifications.recipients.email import EmailAddress
from notifications.recipients.phone import PhoneNumber
from notifications.submission import policy
from notifications.submission.personalisation import LONGEST_NAME_TOLD

MAX_REFERENCE_CHARACTERS = 1000
MAX_UNSUBSCRIBE_URL_CHARACTERS = 2000
MAX_LIST_ITEMS = 10_000
MAX_NUMBER_CHARACTERS = (
    400  # as written; what is kept of it has to fit its column, and any number of blanks is well formed
)


def reference(name: str, text: str) -> str:
    if len(text) > MAX_REFERENCE_CHARACTERS:
        raise ValidationError(f"{name} {shown(text)} is too long")
    return text


def personalisation(name: str, values: Mapping[str, object]) -> Mapping[str, object]:
    """Refuse a value of more items than a message could show; those of inner lists and objects count too.

    14 MiB of `[{},{},…]` took 24 s and 1.2 GiB before the message was found too long.
    """
    for key, value in values.items():
        if _has_more_items(value, MAX_LIST_ITEMS):
            raise ValidationError(f"{name} {key[:LONGEST_NAME_TOLD]} has more than {MAX_LIST_ITEMS} items")
    return values


def _has_more_items(value: object, most: int) -> bool:
    count, inner = 0, [value]
    while inner:
        outer = inner.pop()
        if isinstance(outer, list | dict):
            count += len(outer)
            if count > most:
                return True
            inner += outer.values() if isinstance(outer, dict) else outer
    return False


def phone_number(name: str, text: str, service: Service) -> PhoneNumber:
    """Read a number with the service's permissions; one that only a permission keeps out is refused later."""
    try:
        number = phone.parse(
            text,
            international=service.may(Permission.INTERNATIONAL_SMS),
            landlines=service.may(Permission.SMS_TO_UK_LANDLINES),
            prices=policy.prices(),
        )
    except phone.InvalidPhoneNumber as error:
        raise ValidationError(f"{name} {error.outcome.v2_message}", fix=phone.hint(text) or "") from error
    if len(number.as_given) > MAX_NUMBER_CHARACTERS:
        raise ValidationError(f"{name} {phone.Outcome.INVALID_NUMBER.v2_message}")
    return number


def email_address(name: str, text: str) -> EmailAddress:
    try:
        return email.parse(text)
    except email.InvalidEmailAddress as error:
        raise ValidationError(f"{name} {error.v2_message}") from error
