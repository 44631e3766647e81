"""The additional keys `fix` and `docs` of an error. They never replace the contract's text and contain no values.

One test for each row of Developer experience §11 but files.
"""

import re
import uuid
from typing import Any

import pytest
import time_machine
from django.test import override_settings

from config.rest.handler import HELPFUL
from notifications.models import KeyType
from tests.factories import make_sms_sender
from tests.notifications import calling
from tests.notifications.calling import Caller, asking_for_help, email_template, sms_template

pytestmark = pytest.mark.django_db

BASE = "http://127.0.0.1:8000"


def make_caller(**fields: Any) -> Caller:
    return asking_for_help(calling.make_caller(**fields))


def help_of(response: Any) -> tuple[str, str]:
    """Return fix and docs of the only error, which also has the contract's two keys."""
    (entry,) = response.json()["errors"]
    assert entry.keys() == {"error", "message", "fix", "docs"}
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Link"] == f'<{entry["docs"]}>; rel="help"'
    return entry["fix"], entry["docs"]


def test_the_clock_error_states_both_times_and_their_difference() -> None:
    caller = make_caller()
    with time_machine.travel("2026-11-21T09:01:04Z", tick=False):
        late = caller.get("/v2/templates", Authorization=caller.authorization(iat_offset=-52))

    fix, docs = help_of(late)

    assert fix == (
        "The token was issued at 09:00:12 UTC, but the server's clock shows 09:01:04 UTC. They are 52 s apart. "
        "Turn on time synchronisation on your computer."
    )
    assert docs.startswith(f"{BASE}/docs/#")


def test_the_clock_error_names_different_days() -> None:
    caller = make_caller()
    with time_machine.travel("2026-11-21T00:00:40Z", tick=False):
        late = caller.get("/v2/templates", Authorization=caller.authorization(iat_offset=-52))

    assert help_of(late)[0].startswith(
        "The token was issued at 2026-11-20 23:59:48 UTC, but the server's clock shows 2026-11-21 00:00:40 UTC."
    )


def test_the_unknown_key_error_has_the_same_text_for_every_cause() -> None:
    caller, stranger = make_caller(), make_caller()
    causes = [
        caller.authorization(signature="AAAA"),
        stranger.authorization(claims={"iss": str(caller.service.id)}),
        caller.authorization(drop=["iat"]),
    ]

    told = {help_of(caller.get("/v2/templates", Authorization=cause))[0] for cause in causes}

    assert told == {"No active key matches this token. Copy the whole key again."}


@pytest.mark.parametrize(("live", "key_type"), [(True, KeyType.TEAM), (False, KeyType.LIVE)], ids=["team", "trial"])
def test_the_team_and_trial_errors_link_to_the_service(live: bool, key_type: KeyType) -> None:
    caller = make_caller(key_type=key_type, live=live)

    fix, _ = help_of(caller.send_email(email_template(caller)))

    link = f"{BASE}/admin/notifications/service/{caller.service.id}/"
    assert fix == f"Add this recipient to the team or the guest list, or make the service live: {link}"


def test_the_sender_error_lists_the_ids_of_this_service_only() -> None:
    caller = make_caller()
    default = caller.service.sms_senders.get()
    other = make_sms_sender(caller.service, "OTHER", is_default=False)
    removed = make_sms_sender(caller.service, "GONE", is_default=False, archived_at=default.created_at)

    fix, _ = help_of(caller.send_sms(sms_template(caller), sms_sender_id=str(removed.id)))

    assert fix == f"Ids of this service: {default.id} (default), {other.id}"


def test_the_reply_to_error_lists_the_ids_or_states_that_there_are_none() -> None:
    caller, without = make_caller(), make_caller()
    without.service.reply_to_addresses.all().delete()
    address = caller.service.reply_to_addresses.get()
    own, unknown = f"Ids of this service: {address.id} (default)", str(uuid.uuid4())

    for one, fix in ((caller, own), (without, "Ids of this service: none")):
        assert help_of(one.send_email(email_template(one), email_reply_to_id=unknown))[0] == fix


def test_the_missing_value_error_names_placeholders_and_similar_names_but_no_value() -> None:
    caller = make_caller()
    template = email_template(caller, "Dear ((name)), pay by ((dueDate))")
    values = {"name": "Secret Jo", "amount": "12345", "dueDat": "tomorrow"}

    response = caller.send_email(template, personalisation=values)
    fix, _ = help_of(response)

    assert fix == "You sent: name, amount, dueDat. Did you mean `dueDate` instead of `dueDat`?"
    assert not any(value in response.content.decode() for value in values.values())


@pytest.mark.parametrize(
    ("number", "fix"),
    [
        ("+44 770090012", "9 digits after the country code; a UK mobile has 10."),
        ("07700 9001", "8 digits after the leading 0; a UK mobile has 10."),
        ("4158961600", "Start a UK number with 0, any other with + and its country code."),
    ],
)
def test_the_phone_number_error_counts_digits_and_never_repeats_them(number: str, fix: str) -> None:
    caller = make_caller()

    response = caller.send_sms(sms_template(caller), phone_number=number)

    assert help_of(response)[0] == fix
    assert number not in response.content.decode()


def test_the_rate_error_states_when_to_retry() -> None:
    caller = make_caller(rate_limit_per_minute=1)
    template = sms_template(caller)
    caller.send_sms(template)

    refused = caller.send_sms(template)

    assert help_of(refused)[0]
    assert 1 <= int(refused.headers["Retry-After"]) <= 60


def test_every_url_of_the_documentation_is_on_the_services_host() -> None:
    caller = make_caller()
    answers = [caller.get("/v2/nowhere"), caller.post("/v2/notifications/sms", {}), caller.get("/v2/templates?x=1")]

    for answer in answers:
        for entry in answer.json()["errors"]:
            assert re.fullmatch(rf"{BASE}/docs/#[a-z0-9-]+", entry["docs"])


@pytest.mark.parametrize(
    "accept", ["application/json", "*/*", "application/vnd.signalbox+xml", "text/html", "application/vnd.signalbox"]
)
def test_callers_that_do_not_request_help_get_two_keys_only(accept: str) -> None:
    caller = calling.make_caller()

    refused = caller.post("/v2/notifications/sms", {}, Accept=accept)

    assert all(entry.keys() == {"error", "message"} for entry in refused.json()["errors"])
    assert refused.headers["Link"] == f'<{BASE}/docs/#errors-required-property>; rel="help"'


@pytest.mark.parametrize(
    "accept", [HELPFUL, HELPFUL.upper(), f"text/html, {HELPFUL};q=0.5, */*", f"{HELPFUL}; charset=utf-8"]
)
def test_help_is_requested_by_a_type_in_accept(accept: str) -> None:
    refused = calling.make_caller().get("/v2/templates?x=1", Accept=accept)

    assert help_of(refused)[1] == f"{BASE}/docs/#errors-unexpected-property"


@pytest.mark.parametrize(("path", "slug"), [("/v2", "url-not-found"), ("/providers/x/y/z", "url-not-found")])
def test_an_unknown_path_has_its_help_too(path: str, slug: str) -> None:
    assert help_of(make_caller().get(path))[1] == f"{BASE}/docs/#errors-{slug}"


def test_plain_http_has_its_help_too() -> None:
    with override_settings(SECURE_SSL_REDIRECT=True):
        assert help_of(make_caller().get("/v2/templates"))[1] == f"{BASE}/docs/#errors-use-https"


def test_a_token_is_never_repeated() -> None:
    caller = make_caller()
    authorization = caller.authorization(signature="c2VjcmV0LXNpZ25hdHVyZQ")

    response = caller.get("/v2/templates", Authorization=authorization)

    assert authorization.split()[1] not in response.content.decode()
    assert caller.key.secret not in response.content.decode()
