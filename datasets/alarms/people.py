"""The people of an alarm, as the console and `provision` check them. Source: docs/reference/alarms.md §4."""

from collections import defaultdict
from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db.models.functions import Lower

from config import own_messages
from config.data_sets import managed_services
from config.invalid import InvalidValue
from datasets.models import Alarm
from datasets.validation import MAX_PEOPLE

_KINDS = {"email": "emails", "sms": "text messages"}


def of(alarm: Alarm) -> list[tuple[str, str]]:
    """Return the channel and recipient of each person who may hear of the alarm now.

    An address of an account gets nothing after the account is deactivated. An address of no account, such as that of a
    team, stays: only people who may change the alarm add it.
    """
    accounts = defaultdict(list)
    named = [email.lower() for email in alarm.email_addresses]
    for user in User.objects.annotate(lower_email=Lower("email")).filter(lower_email__in=named):
        accounts[user.email.lower()].append(user)
    heard = [
        email
        for email in alarm.email_addresses
        if email.lower() not in accounts or any(may_hear(alarm, user) for user in accounts[email.lower()])
    ]
    return [*(("email", one) for one in heard), *(("sms", one) for one in alarm.phone_numbers)]


def may_hear(alarm: Alarm, user: User) -> bool:
    """Return whether the account is active and, for the statistics of services, may still change all of them."""
    watched = alarm.service_ids
    if not watched:
        return bool(user.is_active)
    return user.has_perm("datasets.manage_data_sets") or watched <= {str(pk) for pk in managed_services(user)}


def parse(channel_name: str, recipients: Sequence[str]) -> list[str]:
    """Return the recipients of a channel as they are stored, each once. Raises InvalidValue."""
    given = [text.strip() for text in recipients if text.strip()]
    if len(given) > MAX_PEOPLE:
        raise InvalidValue(f"Enter at most {MAX_PEOPLE}.")
    channel = own_messages.channel(channel_name)
    if given and channel is None:
        raise InvalidValue(f"This installation cannot send {_KINDS[channel_name]}: its sending area is switched off.")
    return list(dict.fromkeys(channel.parse(text) for text in given)) if channel else []
