"""Check at the start the settings that have rules in this area."""

from collections.abc import Callable, Iterator

from django.conf import settings

from notifications.delivery import providers
from notifications.delivery.returned_emails.imap import Mailbox
from notifications.submission import policy
from notifications.validation import people, senders, services


def check_settings() -> None:
    """Raise ValueError with one line for each wrong setting, or ImproperlyConfigured if PROVIDERS is wrong."""
    providers.configured()
    found = list(_unloadable())
    if found:
        raise ValueError("\n".join(found))


def _unloadable() -> Iterator[str]:
    rules: dict[str, Callable[[str], object]] = {
        "DEFAULT_SMS_SENDER": senders.parse_sms_sender,
        "PROVISION_AUTHOR": people.parse_email_address,
    }
    if settings.RETURNED_EMAIL_IMAP_URL:
        rules["RETURNED_EMAIL_IMAP_URL"] = Mailbox.parse
    if settings.FILES_HELP_CONTACT:
        rules["FILES_HELP_CONTACT"] = services.parse_file_contact
    for name, rule in rules.items():
        try:
            rule(getattr(settings, name))
        except ValueError as error:
            yield f"{name}: {error}"
    try:
        policy.prices()
    except ValueError as error:
        yield f"SMS_PRICE_TABLE: {error}"
    except OSError as error:
        yield f"SMS_PRICE_TABLE: {error.filename}: {error.strerror}"
