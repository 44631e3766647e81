"""Errors of delivery receipts that providers post. Source: docs/reference/sending-api.md §2.2."""

from config.rest.api_errors import SendingError
from config.rest.shared_errors import Unavailable
from notifications.errors.calling import AuthError, Unauthenticated


class ReceiptCredentialsMissing(Unauthenticated):
    """The request has no credentials."""

    slug = "report-credentials-missing"
    text = "Send the {credentials} of this provider {way}"
    fix = "Send the credentials in the provider's URL in the settings: a bearer token, or a name and password."


class ReceiptCredentialsWrong(AuthError):
    """The credentials are not those of this provider."""

    slug = "report-credentials"
    text = "These are not the credentials of this provider"
    fix = "Check that the provider sends the credentials that its URL in the settings contains."


class ReceiptUnreadable(SendingError):
    """The body is not in the provider's format. The reason contains nothing that was sent."""

    slug = "report-unreadable"
    text = "The report cannot be read: {reason}"
    fix = "Send the format that the documentation of providers describes."

    def __init__(self, reason: str) -> None:
        super().__init__(reason=reason)


class ReceiptNotCheckable(Unavailable):
    """The signature cannot be checked at the moment. The provider is asked to post the receipt again."""

    kind = "ServiceUnavailable"
    text = "Try again later"
    retry_after_seconds = 60
