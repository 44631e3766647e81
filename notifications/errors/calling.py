"""Errors of any call: authentication, the HTTP request, repeats and limits.

Source: docs/reference/sending-api.md §4, §7.
"""

from collections.abc import Sequence

from config.rest.api_errors import SendingError

_COPY_KEY = "Copy the whole key again: name, service id and secret."

# Authentication.


class AuthError(SendingError):
    status = 403
    kind = "AuthError"


class Unauthenticated(AuthError):
    """The request has no bearer token."""

    status = 401


class TokenMissing(Unauthenticated):
    slug = "token-missing"
    text = "Unauthorized: authentication token must be provided"
    cause = "The request has no header `Authorization`."
    fix = "Send the header `Authorization: Bearer <token>`."


class BearerSchemeMissing(Unauthenticated):
    slug = "bearer-scheme"
    text = "Unauthorized: authentication bearer scheme must be used"
    cause = "The header `Authorization` has another scheme than `Bearer`, such as `Basic`, or only the token."
    fix = "Start the `Authorization` header with `Bearer` and a space, then add the token."


class TokenInvalid(AuthError):
    """The token is malformed, or it has claims that the API does not support."""

    slug = "token-invalid"
    text = "Invalid token: make sure your API token matches the example at {example_url}"
    cause = "The token is not a JSON Web Token of three parts, or it has a claim that the API does not support."
    fix = "Create a new token for each call, as shown in the section on authentication."


class IssuerMissing(AuthError):
    slug = "issuer-missing"
    text = "Invalid token: iss field not provided"
    cause = "The payload of the token has no claim `iss`."
    fix = "Set the claim `iss` to the service id in your API key."


class IssuerNotUuid(AuthError):
    slug = "issuer-not-a-uuid"
    text = "Invalid token: service id is not the right data type"
    cause = "The claim `iss` is not a service id. Often the key was cut or has a line break at its end."
    fix = f"Set the claim `iss` to the service id in your API key. {_COPY_KEY}"


class ServiceNotFound(AuthError):
    slug = "service-not-found"
    text = "Invalid token: service not found"
    cause = "No service has the id in the claim `iss`. The key may be one of another installation."
    fix = f"There is no service with the id in `iss`. {_COPY_KEY}"


class ServiceHasNoKeys(AuthError):
    slug = "service-has-no-keys"
    text = "Invalid token: service has no API keys"
    cause = "All keys of the service were deleted, or none was created."
    fix = "Create an API key for the service in the console."


class ServiceArchived(AuthError):
    slug = "service-archived"
    text = "Invalid token: service is archived"
    fix = "This service is archived. Use an API key of an active service."


class AlgorithmNotAllowed(AuthError):
    slug = "algorithm"
    text = "Invalid token: algorithm used is not HS256"
    cause = "The library that signs the token uses another algorithm by default, or signs with no algorithm."
    fix = "Sign the token with HS256, and set `alg` in the token's header to `HS256`."


class KeyNotFound(AuthError):  # every cause has the same text, so that it reveals nothing
    slug = "api-key-not-found"
    text = "Invalid token: API key not found"
    cause = "No key of the service has signed this token. Often one character of the key is missing."
    fix = "No active key matches this token. Copy the whole key again."


class WholeKeyTooShort(AuthError):
    slug = "api-key-too-short"
    text = "Invalid token: Enter your full API key"
    fix = f"Send the header `Authorization: ApiKey-v1 <key>`. {_COPY_KEY}"


class ClockSkewed(AuthError):
    slug = "system-clock"
    text = "Error: Your system clock must be accurate to within 30 seconds"
    cause = (
        "The time in the claim `iat` differs from ours by more than 30 seconds: the clock of your machine "
        "is wrong, or a token is used again."
    )
    fix = "Turn on time synchronisation. For each call, set `iat` to the current time in whole seconds since 1970 UTC."
    seconds_apart: int | None = None  # more than 0 if the caller's clock is behind


class KeyRevoked(AuthError):
    slug = "api-key-revoked"
    text = "Invalid token: API key revoked"
    cause = "Staff revoked this key in the console, or it has expired."
    fix = "This API key was revoked or has expired. Create another one in the console."


class KeyNetworkNotAllowed(AuthError):
    slug = "api-key-network"
    text = "Invalid token: this API key may not be used from {ip_address}"
    cause = "Staff have limited this key to networks, and the call came from another one."
    fix = "Call from a network that the key allows, or ask staff to create a key for this network."


class KeyTemplateNotAllowed(AuthError):
    slug = "api-key-template"
    text = "This API key may not use this template"
    fix = "Use a template that the key allows, or ask staff to create a key for this template."


class ApiKeysUnreadable(SendingError):  # FIELD_KEYS cannot decrypt them; the caller's key is fine
    slug = "api-keys-unreadable"
    status = 500
    kind = "Exception"
    text = "The API keys of this service cannot be read"
    cause = "This installation lost the encryption key of its API keys."
    fix = "Your API key is not the cause. Ask an operator to restore the FIELD_KEYS that encrypted it."


# The HTTP request.


class NoResultFound(SendingError):
    slug = "no-result"
    status = 404
    kind = "NoResultFound"
    text = "No result found"
    cause = "Your service has no row with this id. Rows of other services are answered in the same way."
    fix = "Check the id. Your service has nothing with this id, or it was deleted."


class MethodNotAllowed(SendingError):
    slug = "method-not-allowed"
    status = 405
    kind = "MethodNotAllowed"
    text = "The method is not allowed for the requested URL"
    fix = "Use one of the methods in the header `Allow`."

    def __init__(self, *, allowed: Sequence[str] = ()) -> None:
        super().__init__()
        self.allowed = allowed

    def headers(self) -> dict[str, str]:
        return {**super().headers(), "Allow": ", ".join(self.allowed)}


class LengthRequired(SendingError):
    slug = "length-required"
    status = 411
    kind = "LengthRequired"
    text = "A Content-Length header is required"
    fix = "Send the header `Content-Length`. Do not use chunked transfer encoding."


class PayloadTooLarge(SendingError):
    slug = "request-too-large"
    status = 413
    kind = "PayloadTooLarge"
    text = "The request body is larger than {max_bytes} bytes"
    fix = "Split the data over several requests."


class UnsupportedContentType(SendingError):
    slug = "content-type"
    status = 415
    kind = "UnsupportedMediaType"
    text = "Content-Type must be application/json"
    fix = "Send the header `Content-Type: application/json`."


class UnsupportedContentEncoding(SendingError):
    slug = "content-encoding"
    status = 415
    kind = "UnsupportedMediaType"
    text = "Content-Encoding is not supported"
    fix = "Send the body without compression."


class TooManyValues(SendingError):
    slug = "too-many-values"
    text = "The request body has more values than one request may hold"
    fix = "Send at most 200,000 values in one request. Property names do not count."


class InvalidJson(SendingError):
    slug = "invalid-json"
    text = "Invalid JSON supplied in POST data"
    fix = "Send one JSON object in UTF-8, without U+0000, `NaN` or `Infinity`."


class IdempotencyKeyMalformed(SendingError):
    slug = "idempotency-key"
    text = "Idempotency-Key must be 1 to 255 printable ASCII characters"
    fix = "Use 1 to 255 printable ASCII characters, such as a UUID."


class IdempotencyKeyReused(SendingError):
    slug = "idempotency-key-reused"
    status = 422
    kind = "IdempotencyKeyReused"
    text = "This Idempotency-Key was used with another request"
    cause = "The same `Idempotency-Key` came in the last 24 hours with another body or path."
    fix = "Use a new key for each new message. Use the same key only to repeat a request."


class IdempotencyKeyInUse(SendingError):
    slug = "idempotency-key-in-use"
    status = 409
    kind = "IdempotencyKeyInUse"
    text = "A request with this Idempotency-Key is still being answered"
    cause = (
        "The first request with this `Idempotency-Key` has no response yet. It is slow, or your program "
        "sent it twice at the same time."
    )
    fix = "Wait for the response to the first request, or retry after the number of seconds in `Retry-After`."

    def __init__(self, *, retry_after_seconds: int = 1) -> None:
        super().__init__()
        self.retry_after_seconds = retry_after_seconds


class NotScheduled(SendingError):
    slug = "not-scheduled"
    status = 409
    kind = "StateError"
    text = "This message is not scheduled"
    cause = "The message was sent already, was cancelled, or never had a `scheduled_for`."
    fix = "Only a message that waits for its time in `scheduled_for` can be moved or cancelled. Read its status."


class RateLimited(SendingError):
    slug = "rate-limit"
    status = 429
    kind = "RateLimitError"
    text = "Exceeded rate limit for key type {key_type} of {limit} requests per 60 seconds"
    cause = "Keys of this type have sent more requests in 60 seconds than the service may."
    fix = "Retry after the number of seconds in `Retry-After`. Spread your requests, or ask for a higher limit."
    limit = "requests a minute"
    setting = "rate_limit_per_minute"  # of the service

    def __init__(self, *, key_type: str, limit: int, retry_after_seconds: int) -> None:
        super().__init__(key_type=key_type.upper(), limit=limit)
        self.retry_after_seconds = retry_after_seconds


class DailyLimitReached(SendingError):
    slug = "daily-limit"
    status = 429
    kind = "TooManyRequestsError"
    text = "Exceeded send limits ({limit_kind}: {limit}) for today"
    cause = "The service has sent all messages of its daily limit. It begins again at midnight UTC."
    fix = "Send again after midnight UTC, in `Retry-After` seconds, or ask for a higher limit."

    def __init__(self, *, limit_kind: str, limit: int, retry_after_seconds: int) -> None:
        super().__init__(limit_kind=limit_kind, limit=limit)
        self.limit = f"{limit_kind} a day"
        self.setting = f"daily_limit_{limit_kind}"  # of the service
        self.retry_after_seconds = retry_after_seconds


class KeyDailyLimitReached(SendingError):
    slug = "api-key-daily-limit"
    status = 429
    kind = "TooManyRequestsError"
    text = "Exceeded the limit of this API key ({limit} messages) for today"
    cause = "Staff have limited this key to a number of messages a day. It begins again at midnight UTC."
    fix = "Send again after midnight UTC, in `Retry-After` seconds, or ask staff for a key with a higher limit."
    limit = "messages of a key a day"

    def __init__(self, *, limit: int, retry_after_seconds: int) -> None:
        super().__init__(limit=limit)
        self.retry_after_seconds = retry_after_seconds
