"""The limits of wrong email addresses, however the requests arrive. Case D6."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import requests
import time_machine

from notifications.download import tries
from notifications.models import ClientTries, DownloadEvent, DownloadKind
from tests.notifications.download.sending import ADDRESS, SentFile, send_file
from tests.service import Service

NOON = datetime(2026, 3, 25, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def clock():
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture
def file(db, clock) -> SentFile:
    return send_file(expires_at=NOON + timedelta(days=30))


def guess(client, file: SentFile, typed: str = "bo@example.org", times: int = 1, **further) -> list[int]:
    return [client.post(file.path("confirm"), {"email_address": typed}, **further).status_code for _ in range(times)]


def kinds(file: SentFile) -> list[str]:
    return list(DownloadEvent.objects.filter(attachment_id=file.row.pk).order_by("id").values_list("kind", flat=True))


def test_ten_wrong_email_addresses_lock_the_file_for_the_rest_of_the_quarter_hour(client, file, clock):
    assert guess(client, file) == [400]
    clock.shift(4 * MINUTE)
    assert guess(client, file, times=9) == [400] * 9

    locked = client.post(file.path("confirm"), {"email_address": ADDRESS})
    assert (locked.status_code, locked["Retry-After"]) == (429, str(11 * 60))
    assert "12:15pm (GMT)" in locked.content.decode()
    assert file.now().locked_until == NOON + 15 * MINUTE

    clock.move_to(NOON + 15 * MINUTE - timedelta(seconds=1))
    assert guess(client, file, ADDRESS) == [429]
    clock.move_to(NOON + 15 * MINUTE)
    assert guess(client, file, ADDRESS) == [303]


def test_unchecked_email_addresses_are_not_counted(client, file):
    assert guess(client, file, "", times=15) == [400] * 15
    assert guess(client, file, "nobody", times=15) == [400] * 15

    assert file.now().wrong_tries == 0
    assert not ClientTries.objects.exists()
    assert kinds(file) == []


def test_the_right_email_address_is_not_counted(client, file):
    assert guess(client, file, times=9) == [400] * 9
    assert guess(client, file, ADDRESS, times=5) == [303] * 5
    assert (file.now().wrong_tries, file.now().day_tries, ClientTries.objects.get().tries) == (9, 9, 9)
    assert guess(client, file, times=2) == [400, 429]


def test_the_count_starts_again_each_quarter_hour(client, file, clock):
    for _ in range(4):
        assert guess(client, file, times=9) == [400] * 9
        clock.shift(15 * MINUTE)


def test_sixty_in_a_day_lock_the_file_until_the_next_day(client, file, clock):
    for _ in range(6):
        assert guess(client, file, times=10) == [400] * 10
        clock.shift(16 * MINUTE)

    locked = client.post(file.path("confirm"), {"email_address": ADDRESS})
    assert (locked.status_code, locked["Retry-After"]) == (429, str(24 * 3600 - 6 * 16 * 60))
    assert "12:00pm (GMT) on Thursday 26 March 2026" in locked.content.decode()

    clock.move_to(NOON + timedelta(days=1))
    assert guess(client, file, ADDRESS) == [303]


def test_another_file_is_not_locked(client, file):
    other = send_file(file.row.service)
    guess(client, file, times=10)

    assert guess(client, other, ADDRESS) == [303]


def test_one_ip_address_has_thirty_tries_over_all_files(client, file, clock):
    others = [send_file(file.row.service) for _ in range(4)]
    for one in others[:3]:
        assert guess(client, one, times=10) == [400] * 10

    assert guess(client, file, ADDRESS) == [429]
    assert guess(client, file, ADDRESS, REMOTE_ADDR="198.51.100.7") == [303]
    assert file.now().wrong_tries == 0

    clock.shift(15 * MINUTE)
    assert guess(client, others[3], ADDRESS) == [303]


@pytest.mark.parametrize(
    ("one", "other", "are_one"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("198.51.100.7", "::ffff:198.51.100.7", True),
        ("198.51.100.7", "198.51.100.8", False),
        ("", None, True),
    ],
)
def test_a_household_counts_as_one_ip_address(one, other, are_one):
    assert (tries.client_tag(one, NOON) == tries.client_tag(other, NOON)) is are_one


def test_an_ip_address_is_stored_as_a_tag_of_the_day():
    today = tries.client_tag("198.51.100.7", NOON)

    assert re.fullmatch(r"[0-9a-f]{64}", today)
    assert tries.client_tag("198.51.100.7", NOON + timedelta(days=1)) != today


def test_a_forged_ip_address_does_not_evade_the_limit(client, file):
    for number in range(30):
        guess(client, send_file(file.row.service), headers={"X-Forwarded-For": f"203.0.113.{number}"})

    assert guess(client, file, ADDRESS, headers={"X-Forwarded-For": "203.0.113.99"}) == [429]


def test_behind_a_proxy_its_header_counts(client, file, settings):
    settings.TRUSTED_PROXIES = 1
    for number in range(30):
        guess(client, send_file(file.row.service), headers={"X-Forwarded-For": f"203.0.113.{number}, 198.51.100.1"})

    assert guess(client, file, ADDRESS, headers={"X-Forwarded-For": "203.0.113.1, 198.51.100.1"}) == [429]
    assert guess(client, file, ADDRESS, headers={"X-Forwarded-For": "198.51.100.1, 203.0.113.1"}) == [303]


def test_expired_counts_are_deleted_by_new_ones(client, file, clock):
    guess(client, file, REMOTE_ADDR="198.51.100.7")
    clock.shift(15 * MINUTE)
    guess(client, file, REMOTE_ADDR="198.51.100.8")

    assert [row.tag for row in ClientTries.objects.all()] == [tries.client_tag("198.51.100.8", NOON)]


def test_an_operator_can_change_the_limits(client, file, settings):
    settings.FILES_TRIES = 2

    assert guess(client, file, times=3) == [400, 400, 429]


def test_events_are_stored_in_their_order(client, file):
    guess(client, file, times=12)
    client.get(file.path())

    assert kinds(file) == [DownloadKind.WRONG_EMAIL_ADDRESS] * 10 + [DownloadKind.LOCKED]


def test_a_try_of_a_locked_client_does_not_count_for_the_file(db, settings):
    settings.FILES_TRIES_PER_IP_ADDRESS = 1
    file = send_file()
    tag = tries.client_tag("198.51.100.7", NOON)

    assert [tries.take(file.row.pk, tag, NOON) for _ in range(3)] == [True, False, False]
    assert file.now().wrong_tries == 1


def test_a_try_on_a_locked_file_does_not_count_for_the_client(db, settings):
    settings.FILES_TRIES = 1
    file = send_file()
    tag = tries.client_tag("198.51.100.7", NOON)

    assert [tries.take(file.row.pk, tag, NOON) for _ in range(3)] == [True, False, False]
    assert ClientTries.objects.get(tag=tag).tries == 1


def test_only_counted_tries_are_given_back(db):
    file = send_file()

    tries.give_back(file.row.pk, tries.client_tag("198.51.100.7", NOON))

    assert (file.now().wrong_tries, file.now().day_tries) == (0, 0)


SEND = """
import json
from tests.notifications.download.sending import send_file
print(json.dumps([send_file().path("confirm") for _ in range({count})]))
"""


class Crowd:
    """Concurrent requests to a running service with the token of one form."""

    def __init__(self, service: Service, files: int) -> None:
        made = service.manage("shell", "--verbosity", "0", "-c", SEND.format(count=files))
        assert made.returncode == 0, made.stderr
        self.forms = [f"{service.url}{path}" for path in json.loads(made.stdout.splitlines()[-1])]
        browser = requests.Session()
        self.token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(self.forms[0]).text)[1]
        self.cookies = browser.cookies

    def post(self, form: str, typed: str = "bo@example.org") -> int:
        data = {"csrfmiddlewaretoken": self.token, "email_address": typed}
        return requests.post(form, data=data, cookies=self.cookies, timeout=30).status_code

    def post_at_once(self, forms: list[str]) -> list[int]:
        with ThreadPoolExecutor(len(forms)) as threads:
            return sorted(threads.map(self.post, forms))


@pytest.mark.fault("D6")
def test_of_twenty_concurrent_tries_at_most_ten_are_checked(start_service):
    crowd = Crowd(start_service(), files=1)

    assert crowd.post_at_once(crowd.forms * 20) == [400] * 10 + [429] * 10
    assert crowd.post(crowd.forms[0], ADDRESS) == 429


def test_of_forty_concurrent_tries_from_one_ip_address_at_most_thirty_are_checked(start_service):
    crowd = Crowd(start_service(), files=8)

    assert crowd.post_at_once(crowd.forms * 5) == [400] * 30 + [429] * 10
    assert {crowd.post(form, ADDRESS) for form in crowd.forms} == {429}
