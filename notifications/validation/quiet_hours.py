"""Quiet hours: the times of day at which messages wait. Parse them, and find their end.

They are stored as `{"sms": {"from": "21:00", "to": "08:00", "zone": "service"}}`. The local time of a place decides, so
that a change of the clocks makes a night shorter or longer. Source: docs/reference/bulk-sending.md §5.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from config.invalid import InvalidValue

SERVICE, RECIPIENT = "service", "recipient"
LONGEST = timedelta(hours=20)
WIDEST = timedelta(hours=6)  # between the local times of a recipient's possible zones

_CHANNELS = ("sms", "email")
_KEYS = {"from", "to", "zone"}
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """The quiet hours of one channel. by_recipient: the recipient's time zone decides, not the service's"""

    begin: time
    end: time
    by_recipient: bool = False

    def include(self, local: time) -> bool:
        if self.begin < self.end:
            return self.begin <= local < self.end
        return local >= self.begin or local < self.end

    def stored(self) -> dict[str, str]:
        zone = RECIPIENT if self.by_recipient else SERVICE
        return {"from": f"{self.begin:%H:%M}", "to": f"{self.end:%H:%M}", "zone": zone}


def parse(value: object) -> dict[str, dict[str, str]] | None:
    """Return quiet hours by channel as they are stored, or None if no channel has any. Raises InvalidValue."""
    if value is None:
        return None
    if not isinstance(value, dict) or value.keys() - set(_CHANNELS):
        raise InvalidValue("must be null or an object with the keys sms and email")
    given = {channel: value[channel] for channel in _CHANNELS if value.get(channel) is not None}
    return {channel: _parse_one(channel, hours).stored() for channel, hours in given.items()} or None


def check(begin: time, end: time) -> None:
    """Raise InvalidValue unless quiet hours from `begin` to `end` leave time to send."""
    if begin == end:
        raise InvalidValue("Quiet hours must begin and end at different times.")
    if timedelta(minutes=(_minutes(end) - _minutes(begin)) % (24 * 60)) > LONGEST:
        raise InvalidValue("Quiet hours can last at most 20 hours.")


def of_channel(stored: Mapping[str, Mapping[str, str]] | None, channel: str) -> QuietHours | None:
    """Return the quiet hours of a channel from their stored form."""
    hours = (stored or {}).get(channel)
    if hours is None:
        return None
    begin, end = time.fromisoformat(hours["from"]), time.fromisoformat(hours["to"])
    return QuietHours(begin=begin, end=end, by_recipient=hours["zone"] == RECIPIENT)


def are_close(zones: Sequence[ZoneInfo], moment: datetime) -> bool:
    """Return whether the local times of the zones are at most six hours apart."""
    offsets = [moment.astimezone(zone).utcoffset() or timedelta() for zone in zones]
    return bool(offsets) and max(offsets) - min(offsets) <= WIDEST


def first_loud_moment(hours: QuietHours, moment: datetime, zones: Sequence[ZoneInfo]) -> datetime | None:
    """Return the first moment from `moment` on that is quiet in none of the zones.

    None: there is no such moment, because the quiet hours of several zones together cover the whole day.
    """
    found = moment
    while found < moment + 2 * _DAY:
        ends = [end for zone in zones if (end := _end(hours, found, zone))]
        if not ends:
            return found
        found = max(ends)
    return None


def _end(hours: QuietHours, moment: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the end of the quiet hours that contain a moment, or None if it is not quiet."""
    local = moment.astimezone(zone)
    if not hours.include(local.time()):
        return None
    is_evening = hours.begin > hours.end and local.time() >= hours.begin
    return _next(hours.end, local.date() + _DAY * is_evening, zone, moment)


def _next(clock: time, day: date, zone: ZoneInfo, moment: datetime) -> datetime:
    """Return when the clocks of a zone show a time on a day, after `moment`; or, if they skip it, the skip."""
    wall = datetime.combine(day, clock, zone)
    first, second = (wall.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    if first > second:  # the clocks skip this time
        minutes, after = range((first - second) // _MINUTE + 1), wall.replace(fold=1).utcoffset()
        skip = bisect_left(minutes, True, key=lambda n: (second + n * _MINUTE).astimezone(zone).utcoffset() == after)
        return second + skip * _MINUTE
    return first if first > moment else second


def _parse_one(channel: str, value: object) -> QuietHours:
    if not isinstance(value, dict) or value.keys() - _KEYS or not {"from", "to"} <= value.keys():
        raise InvalidValue(f"{channel} must be an object with the keys from, to and zone")
    for name in ("from", "to"):
        if not isinstance(value[name], str) or not _TIME.fullmatch(value[name]):
            raise InvalidValue(f"{channel}: enter {name} as a time such as 21:00")
    zone = value.get("zone", SERVICE)
    if zone not in (SERVICE, RECIPIENT):
        raise InvalidValue(f"{channel}: zone must be service or recipient")
    begin, end = time.fromisoformat(value["from"]), time.fromisoformat(value["to"])
    check(begin, end)
    return QuietHours(begin=begin, end=end, by_recipient=zone == RECIPIENT)


def _minutes(clock: time) -> int:
    return clock.hour * 60 + clock.minute
