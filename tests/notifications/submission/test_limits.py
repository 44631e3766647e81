"""The daily limits are exact under parallel requests, count by UTC date, and count accepted messages only."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from notifications import errors
from notifications.models import Channel, DailyCounter, KeyType, LimitKind, Notification
from notifications.submission import limits, ttl_cache
from tests.factories import make_api_key, make_service, make_team_member
from tests.notifications.calling import NUMBER, Caller, email_template, make_caller, messages, sms_template

pytestmark = pytest.mark.django_db

ABROAD, JERSEY = "+61491570006", "+44 7797 712345"


def new_message(caller: Caller) -> dict[str, Any]:
    """Return the columns of a text message before it is stored."""
    return {
        "id": uuid4(),
        "service_id": caller.service.id,
        "key_type": KeyType.LIVE,
        "channel": Channel.SMS,
        "template_id": sms_template(caller).id,
        "template_version": 1,
        "recipient": NUMBER,
        "normalised_recipient": "447700900123",
        "body": "Hello",
        "created_at": timezone.now(),
    }


def counts(caller: Caller) -> dict[str, int]:
    return dict(DailyCounter.objects.filter(service=caller.service).values_list("kind", "count"))


def test_accepted_messages_are_counted_by_channel_and_international_ones_too() -> None:
    caller = make_caller()
    template = sms_template(caller)

    for number in (NUMBER, ABROAD, JERSEY):
        assert caller.send_sms(template, phone_number=number).status_code == 201
    assert caller.send_email(email_template(caller)).status_code == 201

    assert counts(caller) == {"sms": 3, "international_sms": 1, "email": 1}


@pytest.mark.usefixtures("noon")
def test_live_and_team_keys_share_one_count_and_test_keys_have_none() -> None:
    caller = make_caller(daily_limit_sms=2)
    make_team_member(caller.service, phone_number=NUMBER)
    template = sms_template(caller)
    team, test = (Caller(make_api_key(caller.service, kind)) for kind in (KeyType.TEAM, KeyType.TEST))

    answers = [one.send_sms(template).status_code for one in (test, caller, team, test, caller, team, test)]

    assert answers == [201, 201, 201, 201, 429, 429, 201]
    assert counts(caller) == {"sms": 2}


def test_rejected_and_simulated_messages_are_not_counted() -> None:
    caller = make_caller()
    template = sms_template(caller, "Hello ((name))")

    assert caller.send_sms(template).status_code == 400
    assert caller.send_sms(template, phone_number="07700900000", personalisation={"name": "Jo"}).status_code == 201

    assert counts(caller) == {}


@pytest.mark.usefixtures("noon")
def test_the_international_limit_has_its_own_error() -> None:
    caller = make_caller(daily_limit_international_sms=1)
    template = sms_template(caller)
    assert caller.send_sms(template, phone_number=ABROAD).status_code == 201

    second = caller.send_sms(template, phone_number=ABROAD)

    assert messages(second) == ["Exceeded send limits (international_sms: 1) for today"]
    assert caller.send_sms(template, phone_number=JERSEY).status_code == 201
    assert counts(caller) == {"sms": 2, "international_sms": 1}


def test_a_limit_of_zero_accepts_nothing() -> None:
    caller = make_caller(daily_limit_email=0)

    assert messages(caller.send_email(email_template(caller))) == ["Exceeded send limits (email: 0) for today"]


def test_the_day_is_a_utc_date_and_the_wait_ends_with_it() -> None:
    caller = make_caller(daily_limit_sms=1)
    template = sms_template(caller)

    with time_machine.travel("2026-07-01T23:59:50Z", tick=False):  # past midnight in London
        assert caller.send_sms(template).status_code == 201
        refused = caller.send_sms(template)
    with time_machine.travel("2026-07-02T00:00:00Z", tick=False):
        assert caller.send_sms(template).status_code == 201

    assert refused.headers["Retry-After"] == "10"
    assert set(DailyCounter.objects.values_list("day", flat=True)) == {date(2026, 7, 1), date(2026, 7, 2)}


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize("kinds", [[LimitKind.SMS], [LimitKind.SMS, LimitKind.INTERNATIONAL_SMS]])
def test_the_limit_may_be_reached_between_check_and_count(kinds: list[LimitKind]) -> None:
    """Another request takes the last message of the day during this one, which stores nothing."""
    caller = make_caller(**{"daily_limit_sms": 5, f"daily_limit_{kinds[-1].value}": 1})
    first, second = (new_message(caller) for _ in range(2))
    limits.check(caller.key, kinds[-1])
    limits.store(caller.key, first, kinds)

    with pytest.raises(errors.DailyLimitReached) as refused:
        limits.store(caller.key, second, kinds)

    assert refused.value.limit == f"{kinds[-1].value} a day"
    assert counts(caller) == {kind.value: 1 for kind in kinds}
    assert [row.id for row in Notification.objects.all()] == [first["id"]]


@pytest.mark.usefixtures("noon")
def test_a_counter_far_from_its_limit_is_cached() -> None:
    """This applies only if the rate limit prevents reaching the daily limit in the meantime."""
    caller = make_caller(rate_limit_per_minute=100, daily_limit_sms=1000)
    others = DailyCounter.objects.create(service=caller.service, day=timezone.now().date(), kind=LimitKind.SMS)

    def looks(count: int) -> list[int]:
        """Return how often two consecutive requests read the counter after so many messages."""
        DailyCounter.objects.filter(id=others.id).update(count=count)
        ttl_cache.clear()
        found = []
        for _ in range(2):
            with CaptureQueriesContext(connection) as queries:
                limits.check(caller.key, LimitKind.SMS)
            found.append(len(queries))
        return found

    # 100 a minute by live keys, 100 by team keys, and 100 from the console
    assert looks(699) == [1, 0]
    assert looks(700) == [2, 1]
    DailyCounter.objects.filter(id=others.id).update(count=1000)
    with pytest.raises(errors.DailyLimitReached):
        limits.check(caller.key, LimitKind.SMS)


@pytest.mark.django_db(transaction=True)
def test_parallel_requests_never_pass_the_limit() -> None:
    caller = make_caller(service=make_service(daily_limit_sms=25))
    template = sms_template(caller)

    def send(_: int) -> int:
        try:
            return Caller(caller.key).send_sms(template).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(send, range(60)))

    assert sorted(answers) == [201] * 25 + [429] * 35
    assert counts(caller) == {"sms": 25}
    assert Notification.objects.filter(service=caller.service).count() == 25
