"""What can be wrong with a message, a template or a question about them. Source: the sending contract §5 to §17."""

from notifications import errors
from notifications.errors import ValidationError
from notifications.problems.files import IN_TEXT
from notifications.problems.row import Row, row
from notifications.recipients.outcomes import Outcome


def _phone(slug: str, outcome: Outcome, fix: str) -> Row:
    return row(f"phone-number-{slug}", ValidationError, fix, f"phone_number {outcome.v2_message}")


_ASK_STAFF = "Ask a member of staff of your service to change this in the console."

UNEXPECTED = row(
    "unexpected-property",
    errors.PropertiesUnexpected,
    "Leave these out: what may be sent stands with each operation, spelled as here.",
    "Additional properties are not allowed (… unexpected)",
)
WRONG_TYPE = row("wrong-type", ValidationError, "Send a value of the type the message names.", "… is not of type …")
NOT_A_UUID = row(
    "not-a-uuid", ValidationError, "Copy the id from the console or from an earlier answer.", "… is not a valid UUID"
)
NOT_ONE_OF = row("not-one-of", ValidationError, "Use one of the words in the list.", "… is not one of […]")
NO_RESULT = row("no-result", errors.NoResultFound, "Check the id: your service has nothing of this id, or no longer.")

SHAPE = (
    row("required-property", ValidationError, "Add the property the message names.", "… is a required property"),
    UNEXPECTED,
    WRONG_TYPE,
    NOT_A_UUID,
    row(
        "reference-too-long", ValidationError, "Use a reference of at most 1000 characters.", "reference … is too long"
    ),
    row(
        "too-many-items",
        ValidationError,
        "Send at most 10,000 items in one value, those of inner lists included.",
        "personalisation … has more than 10000 items",
    ),
    row(
        "scheduled-for-format",
        ValidationError,
        "Give date and time of day, such as `2026-11-20T09:00:00Z`.",
        "scheduled_for datetime format is invalid. It must be a valid ISO8601 date time format, …",
    ),
    row(
        "scheduled-for-past",
        ValidationError,
        "Give a later time, or leave it out to send now.",
        "scheduled_for datetime can not be in the past",
    ),
    row(
        "scheduled-for-too-far",
        ValidationError,
        "Give a time within the next 24 hours.",
        "scheduled_for datetime can only be 24 hours in the future",
    ),
)
PHONE_NUMBER = (
    _phone("too-many-digits", Outcome.TOO_LONG, "Count the digits: a UK mobile number has 11 with its leading 0."),
    _phone("not-enough-digits", Outcome.TOO_SHORT, "Count the digits: a UK mobile number has 11 with its leading 0."),
    _phone("not-a-uk-mobile", Outcome.NOT_A_UK_MOBILE, "Use a number that starts 07, or write the country code: `+…`."),
    _phone(
        "letters-or-symbols", Outcome.UNKNOWN_CHARACTER, "Use digits, spaces, hyphens, brackets and a leading `+` only."
    ),
    _phone("country-prefix", Outcome.UNSUPPORTED_COUNTRY_CODE, "Check the country code after the `+`."),
    _phone("not-valid", Outcome.INVALID_NUMBER, "Check the number with the person it belongs to."),
)
EMAIL_SHAPE = (
    row(
        "email-address",
        ValidationError,
        "Check the address for typing errors.",
        "email_address Not a valid email address",
    ),
    row(
        "unsubscribe-url",
        ValidationError,
        "Give a whole address that starts `https://`.",
        "one_click_unsubscribe_url is not a valid https url",
    ),
    row(
        "unsubscribe-url-too-long",
        ValidationError,
        "Use a URL of at most 2000 characters, for example with an id that stands for the recipient.",
        "one_click_unsubscribe_url … is too long",
    ),
)

TEMPLATE = (
    row("template-not-found", errors.TemplateNotFound, "Use a template id of the service your key belongs to."),
    row(
        "template-type",
        errors.TemplateOfOtherType,
        "Send texts with a text message template and emails with an email template.",
        "… template is not suitable for … notification",
    ),
    row("template-deleted", errors.TemplateArchived, "Use another template, or have this one restored in the console."),
)
PERSONALISATION = row(
    "missing-personalisation",
    errors.PersonalisationMissing,
    "Send a value for each of these placeholders.",
    "Missing personalisation: …",
)
RECIPIENT = (
    row("message-empty", errors.MessageEmpty, "Send values that leave something to say."),
    row("team-only-key", errors.NotOnTeam, "Add this recipient to the team or guest list, or use a live key."),
    row(
        "trial-mode",
        errors.ServiceInTrial,
        "Add this recipient to the team or guest list, or go live.",
        "Can't send to this recipient when service is in trial mode - see …",
    ),
)
SMS_RULES = (
    row("texts-not-allowed", errors.TextMessagesNotAllowed, _ASK_STAFF),
    IN_TEXT,
    row(
        "sms-sender-id",
        errors.SmsSenderNotFound,
        "Use the id of a sender of this service, or leave it out for the default.",
        "sms_sender_id … does not exist in database for service id …",
    ),
    row(
        "international-numbers", errors.InternationalNotAllowed, f"This service sends to UK numbers only. {_ASK_STAFF}"
    ),
    row(
        "text-too-long",
        errors.TextMessageTooLong,
        "Shorten the template or its values.",
        "Your message is too long. Text messages cannot be longer than … characters."
        " Your message is … characters long.",
    ),
)
EMAIL_RULES = (
    row("emails-not-allowed", errors.EmailsNotAllowed, _ASK_STAFF),
    row(
        "reply-to-id",
        errors.ReplyToNotFound,
        "Use the id of a reply-to address of this service, or leave it out for the default.",
        "email_reply_to_id … does not exist in database for service id …",
    ),
    row(
        "email-too-long",
        errors.EmailTooLong,
        "Shorten the template or its values.",
        "Your message is too long. Emails cannot be longer than … bytes. Your message is … bytes.",
    ),
)
