"""Delay messages to the end of the quiet hours of their service. Source: docs/reference/bulk-sending.md §5."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import phonenumbers
from phonenumbers import NumberParseException
from phonenumbers.timezone import UNKNOWN_TIMEZONE, time_zones_for_number

from notifications.models import Channel, Notification, Service
from notifications.validation import quiet_hours
from notifications.validation.time_zones import is_time_zone


def sends_at(
    service: Service, channel: Channel, moment: datetime, *, number: str = "", time_zone: str = ""
) -> datetime:
    """Return the moment, or the end of the quiet hours if it is in them.

    number: the normalised phone number; time_zone: the name of the recipient's zone, or "" if nobody gave it
    """
    hours = quiet_hours.of_channel(service.quiet_hours, channel.value)
    if hours is None:
        return moment
    own = [ZoneInfo(service.zone_name)]
    of_recipient = _of_recipient(number, time_zone) if hours.by_recipient else []
    local = of_recipient if quiet_hours.are_close(of_recipient, moment) else own
    found = quiet_hours.first_loud_moment(hours, moment, local)
    return found or quiet_hours.first_loud_moment(hours, moment, own) or moment


def end_for(message: Notification, moment: datetime) -> datetime | None:
    """Return the end of the quiet hours if they delay a stored message that should be sent at `moment`."""
    if not message.template.respect_quiet_hours:
        return None
    channel = Channel(message.channel)
    number = message.normalised_recipient if channel is Channel.SMS else ""
    found = sends_at(message.service, channel, moment, number=number)
    return found if found > moment else None


def _of_recipient(number: str, time_zone: str) -> Sequence[ZoneInfo]:
    if is_time_zone(time_zone):
        return [ZoneInfo(time_zone)]
    return [ZoneInfo(name) for name in zones_of_number(number) if is_time_zone(name)] if number else []


def zones_of_number(normalised: str) -> tuple[str, ...]:
    """Return the IANA names of the zones of a number in E.164 without the plus, or nothing if they are unknown.

    >>> zones_of_number("33698765432"), zones_of_number("447700900123")
    (('Europe/Paris',), ())
    """
    try:
        names = time_zones_for_number(phonenumbers.parse(f"+{normalised}"))
    except NumberParseException:
        return ()
    return tuple(name for name in names if name != UNKNOWN_TIMEZONE)
