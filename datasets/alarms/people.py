"""The people of an alarm, as the console and `provision` check them. Source: docs/reference/alarms.md §4."""

from collections.abc import Sequence

from config import own_messages
from config.invalid import InvalidValue
from datasets.validation import MAX_PEOPLE

_KINDS = {"email": "emails", "sms": "text messages"}


def parse(channel_name: str, recipients: Sequence[str]) -> list[str]:
    """Return the recipients of a channel as they are stored, each once. Raises InvalidValue."""
    given = [text.strip() for text in recipients if text.strip()]
    if len(given) > MAX_PEOPLE:
        raise InvalidValue(f"Enter at most {MAX_PEOPLE}.")
    channel = own_messages.channel(channel_name)
    if given and channel is None:
        raise InvalidValue(f"This installation cannot send {_KINDS[channel_name]}: its sending area is switched off.")
    return list(dict.fromkeys(channel.parse(text) for text in given)) if channel else []
