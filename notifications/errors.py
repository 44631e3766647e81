"""Every refusal of the sending API: one class per row of the contract's error tables, free of HTTP.

`kind` is what the caller reads in `error`. Source: Notification Sending API §7; the sending contract §2.2 to §16.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar


def shown(value: object) -> str:
    """Show a value as the contract's messages do: as Python prints it, less every apostrophe.

    >>> shown(None), shown(["a", 1]), shown("x")
    ('None', '[a, 1]', 'x')
    """
    return repr(value).replace("'", "")


class NotificationError(Exception):
    """A refusal with the contract's message.

    text: the message, where it is always the same
    fix:  one sentence on what to do, where this request tells more than its row in `problems`
    retry_after_seconds: when the same request may pass, where that is known
    """

    kind: ClassVar[str] = "BadRequestError"
    text: ClassVar[str] = ""
    retry_after_seconds: int | None = None

    def __init__(self, message: str = "", *, fix: str = "") -> None:
        self.message = message or self.text
        self.fix = fix
        super().__init__(self.message)

    @property
    def faults(self) -> Sequence["NotificationError"]:
        """Return what is told one by one; most refusals are a single fault."""
        return [self]


# Who is calling: the contract §3, in its order.


class AuthError(NotificationError):
    kind = "AuthError"


class Unauthenticated(AuthError):
    """No bearer token came at all, rather than one that is not good."""


class TokenMissing(Unauthenticated):
    text = "Unauthorized: authentication token must be provided"


class BearerSchemeMissing(Unauthenticated):
    text = "Unauthorized: authentication bearer scheme must be used"


class TokenInvalid(AuthError):
    """Anything wrong with the form of the token, and claims we do not take."""

    def __init__(self, *, example_url: str) -> None:
        super().__init__(f"Invalid token: make sure your API token matches the example at {example_url}")


class IssuerMissing(AuthError):
    text = "Invalid token: iss field not provided"


class IssuerNotUuid(AuthError):
    text = "Invalid token: service id is not the right data type"


class ServiceNotFound(AuthError):
    text = "Invalid token: service not found"


class ServiceHasNoKeys(AuthError):
    text = "Invalid token: service has no API keys"


class ServiceArchived(AuthError):
    text = "Invalid token: service is archived"


class AlgorithmNotAllowed(AuthError):
    text = "Invalid token: algorithm used is not HS256"


class KeyNotFound(AuthError):
    text = "Invalid token: API key not found"

    def __init__(self) -> None:  # the same words for every cause
        super().__init__(fix="No active key matches this token. Copy the whole key again.")


class ClockSkewed(AuthError):
    text = "Error: Your system clock must be accurate to within 30 seconds"
    seconds_apart: int | None = None  # above 0 the caller's clock is behind


class KeyRevoked(AuthError):
    text = "Invalid token: API key revoked"


# What came over the wire: the contract §2.2, §4, §15.


class UrlNotFound(NotificationError):
    kind = "NotFound"
    text = "The requested URL was not found on the server"


class NoResultFound(NotificationError):
    kind = "NoResultFound"
    text = "No result found"


class MethodNotAllowed(NotificationError):
    kind = "MethodNotAllowed"
    text = "The method is not allowed for the requested URL"

    def __init__(self, *, allowed: Sequence[str]) -> None:
        super().__init__()
        self.allowed = allowed


class LengthRequired(NotificationError):
    kind = "LengthRequired"
    text = "A Content-Length header is required"


class PayloadTooLarge(NotificationError):
    kind = "PayloadTooLarge"

    def __init__(self, *, max_bytes: int) -> None:
        super().__init__(f"The request body is larger than {max_bytes} bytes")


class ContentTypeRefused(NotificationError):
    kind = "UnsupportedMediaType"
    text = "Content-Type must be application/json"


class ContentEncodingRefused(NotificationError):
    kind = "UnsupportedMediaType"
    text = "Content-Encoding is not supported"


class InvalidJson(NotificationError):
    text = "Invalid JSON supplied in POST data"


class IdempotencyKeyMalformed(NotificationError):
    text = "Idempotency-Key must be 1 to 255 printable ASCII characters"


class IdempotencyKeyReused(NotificationError):
    kind = "IdempotencyKeyReused"
    text = "This Idempotency-Key was used with another request"


class IdempotencyKeyInUse(NotificationError):
    kind = "IdempotencyKeyInUse"
    text = "A request with this Idempotency-Key is still being answered"
    retry_after_seconds = 1


class RateLimited(NotificationError):
    kind = "RateLimitError"

    def __init__(self, *, key_type: str, limit: int, retry_after_seconds: int) -> None:
        super().__init__(f"Exceeded rate limit for key type {key_type.upper()} of {limit} requests per 60 seconds")
        self.retry_after_seconds = retry_after_seconds


class DailyLimitReached(NotificationError):
    kind = "TooManyRequestsError"

    def __init__(self, *, limit_kind: str, limit: int, retry_after_seconds: int) -> None:
        super().__init__(f"Exceeded send limits ({limit_kind}: {limit}) for today")
        self.limit_kind = limit_kind
        self.retry_after_seconds = retry_after_seconds


# The shape of the request: the contract §5, §6, §16.


class ValidationError(NotificationError):
    kind = "ValidationError"


class PropertiesUnexpected(ValidationError):
    """One fault that names every unknown property."""

    def __init__(self, *, names: Iterable[str]) -> None:
        unknown = sorted(names)
        words = f"({', '.join(unknown)} {'was' if len(unknown) == 1 else 'were'} unexpected)"
        super().__init__(f"Additional properties are not allowed {words}")


class SchemaRefused(ValidationError):
    """All that is wrong with one request, in the contract's order."""

    def __init__(self, faults: Sequence[NotificationError]) -> None:
        super().__init__("; ".join(fault.message for fault in faults))
        self._faults = faults

    @property
    def faults(self) -> Sequence[NotificationError]:
        return self._faults


# What the service, its template and its rules say: the contract §4.1 from step 9.


class TextMessagesNotAllowed(NotificationError):
    text = "Service is not allowed to send text messages"


class EmailsNotAllowed(NotificationError):
    text = "Service is not allowed to send emails"


class TemplateNotFound(NotificationError):
    text = "Template not found"


class TemplateOfOtherType(NotificationError):
    def __init__(self, *, template_type: str, channel: str) -> None:
        super().__init__(f"{template_type} template is not suitable for {channel} notification")


class TemplateArchived(NotificationError):
    text = "Template has been deleted"


class PersonalisationMissing(NotificationError):
    def __init__(self, *, names: Sequence[str], fix: str = "") -> None:
        super().__init__(f"Missing personalisation: {', '.join(names)}", fix=fix)


class SmsSenderNotFound(NotificationError):
    def __init__(self, *, as_sent: str, service_id: object, fix: str = "") -> None:
        super().__init__(f"sms_sender_id {as_sent} does not exist in database for service id {service_id}", fix=fix)


class ReplyToNotFound(NotificationError):
    def __init__(self, *, as_sent: str, service_id: object, fix: str = "") -> None:
        super().__init__(f"email_reply_to_id {as_sent} does not exist in database for service id {service_id}", fix=fix)


class NotOnTeam(NotificationError):
    text = "Can't send to this recipient using a team-only API key"


class ServiceInTrial(NotificationError):
    def __init__(self, *, trial_mode_url: str, fix: str = "") -> None:
        super().__init__(f"Can't send to this recipient when service is in trial mode - see {trial_mode_url}", fix=fix)


class InternationalNotAllowed(NotificationError):
    text = "Cannot send to international mobile numbers"


class MessageEmpty(NotificationError):
    text = "Your message is empty."


class TextMessageTooLong(NotificationError):
    def __init__(self, *, limit: int, count: int) -> None:
        super().__init__(
            f"Your message is too long. Text messages cannot be longer than {limit} characters."
            f" Your message is {count} characters long."
        )


class EmailTooLong(NotificationError):
    def __init__(self, *, limit_bytes: int, size_bytes: int) -> None:
        super().__init__(
            f"Your message is too long. Emails cannot be longer than {limit_bytes} bytes."
            f" Your message is {size_bytes} bytes."
        )


class InternalError(NotificationError):  # anything unforeseen; the caller learns nothing more
    kind = "Exception"
    text = "Internal server error"


class ApiKeysUnreadable(InternalError):  # FIELD_KEYS do not decrypt them: nothing is wrong with the caller's
    text = "The API keys of this service cannot be read"


class Unavailable(NotificationError):  # the database is away: the same request may pass soon
    kind = "Exception"
    text = "Service unavailable"
    retry_after_seconds = 5
