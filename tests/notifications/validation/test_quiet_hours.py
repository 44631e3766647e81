"""When messages wait for the end of the quiet hours. Source: docs/reference/bulk-sending.md §5."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.invalid import InvalidValue
from notifications.validation import quiet_hours
from notifications.validation.quiet_hours import QuietHours

NIGHT = ("21:00", "08:00")


def end(hours: tuple[str, str], moment: str, *zones: str) -> str | None:
    """Return the first loud moment in UTC, written like the arguments."""
    begin, finish = map(time.fromisoformat, hours)
    found = quiet_hours.first_loud_moment(
        QuietHours(begin=begin, end=finish),
        datetime.fromisoformat(moment).replace(tzinfo=UTC),
        [ZoneInfo(name) for name in zones],
    )
    return found and f"{found.astimezone(UTC):%Y-%m-%d %H:%M}"


@pytest.mark.parametrize(
    ("hours", "moment", "zones", "expected"),
    [
        (NIGHT, "2026-01-10 12:00", ["Europe/London"], "2026-01-10 12:00"),
        (NIGHT, "2026-01-10 20:59", ["Europe/London"], "2026-01-10 20:59"),
        (NIGHT, "2026-01-10 21:00", ["Europe/London"], "2026-01-11 08:00"),
        (NIGHT, "2026-01-10 03:00", ["Europe/London"], "2026-01-10 08:00"),
        (NIGHT, "2026-01-10 08:00", ["Europe/London"], "2026-01-10 08:00"),
        (("12:00", "14:00"), "2026-01-10 12:30", ["Europe/London"], "2026-01-10 14:00"),
        (("00:00", "20:00"), "2026-01-10 00:00", ["Europe/London"], "2026-01-10 20:00"),
        (("12:00", "00:00"), "2026-01-10 12:30", ["Europe/London"], "2026-01-11 00:00"),
        # In summer, and in another zone.
        (NIGHT, "2026-07-10 20:30", ["Europe/London"], "2026-07-11 07:00"),
        (NIGHT, "2026-07-10 12:00", ["Pacific/Auckland"], "2026-07-10 20:00"),
        (NIGHT, "2026-01-10 12:00", ["Asia/Kathmandu"], "2026-01-10 12:00"),
        # The clocks go forward at 01:00 UTC on 29 March 2026: 01:00 to 02:00 does not exist in London.
        (NIGHT, "2026-03-28 22:00", ["Europe/London"], "2026-03-29 07:00"),
        (("21:00", "01:30"), "2026-03-28 22:00", ["Europe/London"], "2026-03-29 01:00"),
        (("01:30", "06:00"), "2026-03-29 01:00", ["Europe/London"], "2026-03-29 05:00"),
        # They go back at 01:00 UTC on 25 October 2026: 01:00 to 02:00 comes twice, and is quiet twice.
        (NIGHT, "2026-10-24 22:00", ["Europe/London"], "2026-10-25 08:00"),
        (("21:00", "01:30"), "2026-10-24 22:00", ["Europe/London"], "2026-10-25 00:30"),
        (("21:00", "01:30"), "2026-10-25 01:10", ["Europe/London"], "2026-10-25 01:30"),
        # Lord Howe's clocks change by half an hour, at 15:30 UTC on 3 October 2026.
        (("21:00", "02:15"), "2026-10-03 14:00", ["Australia/Lord_Howe"], "2026-10-03 15:30"),
        # Quiet in one zone is quiet: from 21:00 in the east to 08:00 in the west.
        (NIGHT, "2026-01-10 10:30", ["Australia/Sydney", "Australia/Perth"], "2026-01-11 00:00"),
        (NIGHT, "2026-01-10 09:30", ["Australia/Sydney", "Australia/Perth"], "2026-01-10 09:30"),
        (NIGHT, "2026-01-10 22:30", ["Australia/Sydney", "Australia/Perth"], "2026-01-11 00:00"),
        # Twenty quiet hours in zones six hours apart leave no moment.
        (("08:00", "04:00"), "2026-01-10 12:00", ["Europe/London", "Asia/Dhaka"], None),
    ],
)
def test_a_message_waits_for_the_end_of_the_quiet_hours(
    hours: tuple[str, str], moment: str, zones: list[str], expected: str | None
) -> None:
    assert end(hours, moment, *zones) == expected


@given(
    begin=st.integers(0, 1439),
    minutes=st.integers(1, 20 * 60),
    moment=st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)),  # noqa: DTZ001  the zone follows
    zone=st.sampled_from(["Europe/London", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"]),
)
def test_the_found_moment_is_the_first_that_is_not_quiet(begin: int, minutes: int, moment: datetime, zone: str) -> None:
    clock, finish = (time(*divmod(value % 1440, 60)) for value in (begin, begin + minutes))
    hours, local, moment = QuietHours(begin=clock, end=finish), ZoneInfo(zone), moment.replace(tzinfo=UTC)

    found = quiet_hours.first_loud_moment(hours, moment, [local])

    assert found is not None
    assert not hours.include(found.astimezone(local).time())
    before = found - timedelta(minutes=1)
    assert found == moment or before < moment or hours.include(before.astimezone(local).time())


@pytest.mark.parametrize(
    ("zones", "are_close"),
    [
        (["Europe/London"], True),
        (["Australia/Sydney", "Australia/Perth"], True),
        (["Europe/London", "Asia/Dhaka"], True),
        (["Europe/London", "Asia/Bangkok"], False),
        ([], False),
    ],
)
def test_zones_are_close_up_to_six_hours(zones: list[str], are_close: bool) -> None:
    moment = datetime(2026, 1, 10, tzinfo=UTC)
    assert quiet_hours.are_close([ZoneInfo(name) for name in zones], moment) is are_close


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (None, None),
        ({}, None),
        ({"sms": None}, None),
        ({"sms": {"from": "21:00", "to": "08:00"}}, {"sms": {"from": "21:00", "to": "08:00", "zone": "service"}}),
        (
            {"email": {"from": "00:00", "to": "20:00", "zone": "recipient"}},
            {"email": {"from": "00:00", "to": "20:00", "zone": "recipient"}},
        ),
    ],
)
def test_quiet_hours_are_stored_by_channel(value: Any, stored: Any) -> None:
    assert quiet_hours.parse(value) == stored


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("night", "must be null or an object with the keys sms and email"),
        ({"letter": {}}, "must be null or an object with the keys sms and email"),
        ({"sms": []}, "sms must be an object with the keys from, to and zone"),
        ({"sms": {"from": "21:00"}}, "sms must be an object with the keys from, to and zone"),
        (
            {"sms": {"from": "1", "to": "2", "days": []}},
            "sms must be an object with the keys from, to and zone",
        ),
        ({"sms": {"from": "24:00", "to": "08:00"}}, "sms: enter from as a time such as 21:00"),
        ({"sms": {"from": "21:00", "to": 8}}, "sms: enter to as a time such as 21:00"),
        ({"sms": {"from": "21:00", "to": "08:00", "zone": "UTC"}}, "sms: zone must be service or recipient"),
        ({"sms": {"from": "08:00", "to": "08:00"}}, "Quiet hours must begin and end at different times."),
        ({"email": {"from": "08:00", "to": "04:01"}}, "Quiet hours can last at most 20 hours."),
    ],
)
def test_wrong_quiet_hours_are_rejected(value: Any, message: str) -> None:
    with pytest.raises(InvalidValue) as raised:
        quiet_hours.parse(value)
    assert str(raised.value) == message
