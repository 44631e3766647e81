"""Default values of placeholders: a send, a dry run, a preview and a bulk send use them by one rule."""

import pytest

from config.invalid import InvalidValue
from notifications.models import Notification, Template
from notifications.submission import ttl_cache
from notifications.submission.bulk import steps
from notifications.validation.templates import check_defaults
from tests.notifications.calling import ADDRESS, Caller, email_template, make_caller, sms_template

pytestmark = pytest.mark.django_db

CONTENT = "Dear ((name)), bring ((Item))"


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def with_defaults(template: Template, **defaults: str) -> Template:
    template.versions.update(defaults=defaults)
    ttl_cache.clear()
    return template


@pytest.mark.parametrize(
    ("values", "body"),
    [
        ({"name": "Ana"}, "Dear Ana, bring a rope"),
        ({"name": "Ana", "ITEM": "a hook"}, "Dear Ana, bring a hook"),
        ({"name": "Ana", "item": None}, "Dear Ana, bring a rope"),
        ({"name": "Ana", "item": ""}, "Dear Ana, bring "),
        ({"name": "Ana", "item": 0}, "Dear Ana, bring 0"),
    ],
    ids=["left out", "given", "null", "empty", "zero"],
)
def test_a_value_that_is_left_out_or_null_is_the_default(caller: Caller, values: dict[str, object], body: str) -> None:
    text, email = sms_template(caller, CONTENT), email_template(caller, CONTENT, "Bring ((item))")
    for template in (text, email):
        with_defaults(template, item="a rope")

    answers = [caller.send_sms(text, personalisation=values), caller.send_email(email, personalisation=values)]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert [answer.json()["content"]["body"].strip() for answer in answers] == [body.strip()] * 2


def test_other_placeholders_are_still_missing(caller: Caller) -> None:
    template = with_defaults(sms_template(caller, CONTENT), item="a rope")

    answer = caller.send_sms(template, personalisation={})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["message"] == "Missing personalisation: name"


def test_a_dry_run_and_a_preview_use_the_default(caller: Caller) -> None:
    template = with_defaults(email_template(caller, CONTENT), item="a rope")
    body = {"email_address": ADDRESS, "template_id": str(template.pk), "personalisation": {"name": "Ana"}}

    run = caller.post("/v2/notifications/email?dry_run=true", body).json()
    preview = caller.post(f"/v2/template/{template.pk}/preview", {"personalisation": {"name": "Ana"}}).json()

    assert (run["content"]["body"], preview["body"]) == ("Dear Ana, bring a rope",) * 2


def test_the_template_says_that_the_value_is_not_required(caller: Caller) -> None:
    template = with_defaults(email_template(caller, CONTENT), item="a rope")

    found = caller.get(f"/v2/template/{template.pk}").json()

    assert found["personalisation"] == {"name": {"required": True}, "Item": {"required": False}}


def test_a_bulk_send_needs_neither_column_nor_cell(caller: Caller) -> None:
    template = with_defaults(email_template(caller, CONTENT), item="a rope")
    tables = [
        [["email address", "name"], [ADDRESS, "Ana"]],
        [["email address", "name", "item"], [ADDRESS, "Bo", ""], [ADDRESS, "Cleo", "a hook"]],
    ]

    for rows in tables:
        body = {"name": "Tides", "template_id": str(template.pk), "rows": rows}
        assert caller.post("/v2/notifications/bulk", body).status_code == 201
    while steps.take_next():
        pass

    found = Notification.objects.values_list("body", flat=True)
    assert sorted(found) == ["Dear Ana, bring a rope", "Dear Bo, bring a rope", "Dear Cleo, bring a hook"]


def test_a_dry_run_of_a_bulk_send_uses_the_default(caller: Caller) -> None:
    template = with_defaults(sms_template(caller, CONTENT), item="a rope")
    body = {"name": "T", "template_id": str(template.pk), "rows": [["phone number", "name"], ["07700900123", "Ana"]]}

    run = caller.post("/v2/notifications/bulk?dry_run=true", body).json()

    assert run["preview"][0]["content"]["body"] == "Dear Ana, bring a rope"


def test_an_accepted_message_and_a_bulk_send_keep_the_default_of_their_version(caller: Caller) -> None:
    template = with_defaults(email_template(caller, CONTENT), item="a rope")
    caller.send_email(template, personalisation={"name": "Ana"})
    rows = [["email address", "name"], [ADDRESS, "Bo"]]
    caller.post("/v2/notifications/bulk", {"name": "Tides", "template_id": str(template.pk), "rows": rows})

    words = {**template.published().words(), "defaults": {"item": "a hook"}}
    template.publish(template.save_draft(words, note="", author=""))
    while steps.take_next():
        pass

    found = Notification.objects.values_list("body", flat=True)
    assert sorted(found) == ["Dear Ana, bring a rope", "Dear Bo, bring a rope"]


@pytest.mark.parametrize(
    ("defaults", "reason"),
    [
        ({"item": "a"}, "no placeholder"),
        ({"name": "x" * 5001}, "at most 5000"),
        ({"name": "", "NAME": ""}, "one default"),
    ],
)
def test_invalid_defaults_are_refused(defaults: dict[str, str], reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        check_defaults(defaults, "Dear ((name))")
