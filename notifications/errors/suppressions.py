"""Errors of suppressions. Source: docs/reference/suppressions.md §3."""

from config.rest.api_errors import SendingError
from notifications.errors.fields import ValidationError


class RecipientSuppressed(SendingError):
    slug = "recipient-suppressed"
    text = "Can't send to this recipient because it is suppressed: {reason}"
    cause = (
        "The recipient bounced, complained, unsubscribed or was added by staff, so the service must not send to them."
    )
    fix = "Remove this recipient from your list, or ask your service's staff to lift the suppression in the console."


class OneRecipient(ValidationError):
    slug = "one-recipient"
    text = "Exactly one of email_address and phone_number is a required property"
    fix = "Send the email address or the phone number of one recipient."


class TextPropertyTooLong(ValidationError):
    slug = "text-property-too-long"
    text = "{name} {value} is too long"
    fix = "Use at most 255 characters."


class ExpiresAtFormat(ValidationError):
    slug = "expires-at-format"
    text = "expires_at datetime format is invalid. It must be a valid ISO8601 date time format"
    fix = "Enter a date and time, such as `2027-01-31T09:00:00Z`."


class ExpiresAtPast(ValidationError):
    slug = "expires-at-past"
    text = "expires_at datetime can not be in the past"
    fix = "Use a time in the future, or leave `expires_at` out for a suppression without an end."


class SuppressionsReadOnly(SendingError):
    slug = "test-key-suppression"
    text = "Can't change suppressions using a test API key"
    fix = "Use a live or a team key. Messages of test keys ignore suppressions."
