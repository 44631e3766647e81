"""Errors of templates, recipients, senders and permissions. Source: docs/reference/sending-api.md §2.2."""

from config.rest.api_errors import SendingError

_ASK_STAFF = "Ask your service's staff to change this in the console."


class TemplateNotFound(SendingError):
    slug = "template-not-found"
    text = "Template not found"
    fix = "Use the id of a template of the service that your API key belongs to."


class TemplateOfOtherType(SendingError):
    slug = "template-type"
    text = "{template_type} template is not suitable for {channel} notification"
    fix = "Use a text message template for texts and an email template for emails."


class TemplateArchived(SendingError):
    slug = "template-deleted"
    text = "Template has been deleted"
    fix = "Use another template, or restore this one in the console."


class VersionForTestKeysOnly(SendingError):
    slug = "template-version-key"
    text = "template_version can only be used with a test API key"
    fix = "Leave `template_version` out, or use a test key. Live and team keys use the published version."


class TemplateHasFiles(SendingError):
    slug = "template-has-files"
    text = "Template has files, so it can only be used for single emails"
    fix = "Send single emails, or use a template without files."


class TemplateVersionNotFound(SendingError):
    slug = "template-version-not-found"
    text = "Template has no version {version}"
    fix = "Use a number from the list of versions in the console, or leave `template_version` out."


class TemplateHasNoDraft(SendingError):
    slug = "template-draft"
    text = "Template has no draft"
    fix = "Save a draft in the console, or leave `template_version` out to use the version in use."


class PersonalisationMissing(SendingError):
    slug = "missing-personalisation"
    text = "Missing personalisation: {names}"
    cause = (
        "The template has a placeholder for which the call sends no value. Names need the same words; "
        "capitals and spaces do not count."
    )
    fix = "Send a value for each of these placeholders."


class MessageEmpty(SendingError):
    slug = "message-empty"
    text = "Your message is empty."
    fix = "Send at least one value that is not empty."


class NotOnTeam(SendingError):
    slug = "team-only-key"
    text = "Can't send to this recipient using a team-only API key"
    cause = "Team keys reach only the team and the guest list of the service."
    fix = "Add this recipient to the team or the guest list, or use a live key."


class ServiceInTrial(SendingError):
    slug = "trial-mode"
    text = "Can't send to this recipient when service is in trial mode - see {trial_mode_url}"
    cause = "A service in trial mode reaches only its team and its guest list, with each key."
    fix = "Add this recipient to the team or the guest list, or make the service live."


class TextMessagesNotAllowed(SendingError):
    slug = "texts-not-allowed"
    text = "Service is not allowed to send text messages"
    fix = _ASK_STAFF


class SmsSenderNotFound(SendingError):
    slug = "sms-sender-id"
    text = "sms_sender_id {as_sent} does not exist in database for service id {service_id}"
    cause = "The id belongs to another service, or the sender was removed."
    fix = "Use the id of a sender of this service, or leave `sms_sender_id` out to use the default."


class InternationalNotAllowed(SendingError):
    slug = "international-numbers"
    text = "Cannot send to international mobile numbers"
    fix = f"This service sends to UK numbers only. {_ASK_STAFF}"


class TextMessageTooLong(SendingError):
    slug = "text-too-long"
    text = (
        "Your message is too long. Text messages cannot be longer than {limit} characters. "
        "Your message is {count} characters long."
    )
    fix = "Shorten the template or its values."


class FallbackRejected(SendingError):
    slug = "fallback"
    text = "fallback: {reason}"
    fix = "Correct the email address, the template or the values of the fallback, or leave `fallback` out."


class EmailsNotAllowed(SendingError):
    slug = "emails-not-allowed"
    text = "Service is not allowed to send emails"
    fix = _ASK_STAFF


class ReplyToNotFound(SendingError):
    slug = "reply-to-id"
    text = "email_reply_to_id {as_sent} does not exist in database for service id {service_id}"
    cause = "The id belongs to another service, or the reply-to address was removed."
    fix = "Use the id of a reply-to address of this service, or leave `email_reply_to_id` out to use the default."


class EmailTooLargeToShow(SendingError):
    slug = "email-too-large-to-show"
    text = "The email is too large for a preview. It needs more than 300 MiB of memory, 4 seconds or 10 MB of HTML"
    fix = "Shorten the template or its values."


class EmailTooLong(SendingError):
    slug = "email-too-long"
    text = (
        "Your message is too long. Emails cannot be longer than {limit_bytes} bytes. "
        "Your message is {size_bytes} bytes."
    )
    fix = "Shorten the template or its values."
