"""What can be wrong with any call, whatever it is about. Source: the sending contract §2.2, §3, §13, §15."""

from notifications import errors
from notifications.errors import NotificationError
from notifications.problems.row import row

_MAKE_ANEW = "Make the token anew for each call, as the section on authentication shows."
_COPY_KEY = "Copy the whole key again: name, service id and secret."

AUTHENTICATION = (
    row("token-missing", errors.TokenMissing, "Send the header `Authorization: Bearer <token>`."),
    row("bearer-scheme", errors.BearerSchemeMissing, "Write the word `Bearer`, a space and then the token."),
    row(
        "token-invalid",
        errors.TokenInvalid,
        _MAKE_ANEW,
        "Invalid token: make sure your API token matches the example at …",
    ),
    row("issuer-missing", errors.IssuerMissing, "Put the service id of your key into the claim `iss`."),
    row("issuer-not-a-uuid", errors.IssuerNotUuid, f"The claim `iss` is the service id of your key. {_COPY_KEY}"),
    row("service-not-found", errors.ServiceNotFound, f"No service has the id in `iss`. {_COPY_KEY}"),
    row("service-has-no-keys", errors.ServiceHasNoKeys, "Make an API key for the service in the console."),
    row("service-archived", errors.ServiceArchived, "This service is closed: use a key of one that is in use."),
    row(
        "algorithm", errors.AlgorithmNotAllowed, "Sign with HS256, and say so in the token's header: `alg` is `HS256`."
    ),
    row("api-key-not-found", errors.KeyNotFound, "No active key matches this token. Copy the whole key again."),
    row(
        "system-clock",
        errors.ClockSkewed,
        "Turn on time synchronisation and give `iat` in whole seconds since 1970 UTC, made anew for each call.",
    ),
    row("api-key-revoked", errors.KeyRevoked, "This key has been taken out of use: make another one in the console."),
    row(
        "use-https",
        errors.AuthError,
        "Call the same address with `https`, and replace a key sent in clear.",
        "Error: use https",
    ),
)

FAILURES = (
    row(
        "internal-server-error",
        errors.InternalError,
        "Resend the notification; if it stays like this, quote `X-Request-Id`.",
    ),
    row(
        "api-keys-unreadable",
        errors.ApiKeysUnreadable,
        "Nothing is wrong with your key. Ask the operators to put back the FIELD_KEYS it was stored under.",
    ),
    row("service-unavailable", errors.Unavailable, "Send the same request again after the seconds in `Retry-After`."),
)

ANY_ADDRESS = (
    row(
        "url-not-found",
        errors.UrlNotFound,
        "Check the address: it is one of those on this page, at the root of the host.",
    ),
    row("method-not-allowed", errors.MethodNotAllowed, "Use one of the methods in the header `Allow`."),
    row(
        "request-not-understood",
        NotificationError,
        "What came is no request a web server can read: look at what your program or a proxy makes of it.",
        "The request could not be understood",
    ),
)

BODY = (
    row("content-type", errors.ContentTypeRefused, "Send the header `Content-Type: application/json`."),
    row("content-encoding", errors.ContentEncodingRefused, "Send the body as it is, not compressed."),
    row("length-required", errors.LengthRequired, "Send the header `Content-Length`, not the body in chunks."),
    row(
        "request-too-large",
        errors.PayloadTooLarge,
        "Send less in one request.",
        "The request body is larger than … bytes",
    ),
    row(
        "too-many-values",
        NotificationError,
        "Send at most 200,000 values in one request, names not counted.",
        "The request body has more values than one request may hold",
    ),
    row("invalid-json", errors.InvalidJson, "Send one JSON object in UTF-8, without U+0000, `NaN` or `Infinity`."),
)

IDEMPOTENCY = (
    row("idempotency-key", errors.IdempotencyKeyMalformed, "Use 1 to 255 printable ASCII characters, such as a UUID."),
    row(
        "idempotency-key-reused",
        errors.IdempotencyKeyReused,
        "Use a new key for each new message, the same one only to repeat a request.",
    ),
    row(
        "idempotency-key-in-use",
        errors.IdempotencyKeyInUse,
        "Wait for the first answer, or repeat after the seconds in `Retry-After`.",
    ),
)

REPORTS = (
    row(
        "report-credentials-missing",
        errors.Unauthenticated,
        "Send what the provider's URL in the settings names: a token as bearer, or a name and password.",
        "Send the … of this provider …",
    ),
    row(
        "report-credentials",
        errors.AuthError,
        "Compare the credentials that the provider sends with those in its URL in the settings.",
        "These are not the credentials of this provider",
    ),
    row(
        "report-unreadable",
        NotificationError,
        "Send the form that the documentation of providers describes.",
        "The report cannot be read: …",
    ),
)

LIMITS = (
    row(
        "rate-limit",
        errors.RateLimited,
        "Wait the seconds in `Retry-After` and go on; send more evenly, or have the service's limit raised.",
        "Exceeded rate limit for key type … of … requests per 60 seconds",
    ),
    row(
        "daily-limit",
        errors.DailyLimitReached,
        "Send again after midnight UTC, which is `Retry-After` seconds away, or have the service's limit raised.",
        "Exceeded send limits (…: …) for today",
    ),
)
