"""Drafts and chosen versions: test keys may use them, live and team keys use the published version."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError

from notifications.models import BulkSend, KeyType, Notification, Template, VersionState
from notifications.submission import ttl_cache
from notifications.submission.callers import ConsoleSender
from notifications.submission.policy import parse_email_address
from notifications.submission.requests import EmailRequest
from notifications.submission.sending import submit
from tests.factories import make_draft, make_guest, make_template
from tests.notifications.calling import ADDRESS, NUMBER, Caller, email_template, make_caller, messages, sms_template

pytestmark = pytest.mark.django_db

VALUES = {"name": "Ana", "item": "rope"}


@pytest.fixture
def tester() -> Caller:
    return make_caller(key_type=KeyType.TEST)


@pytest.fixture
def template(tester: Caller) -> Template:
    return email_template(tester, "Dear ((name))")


def published_again(template: Template, content: str) -> None:
    template.publish(make_draft(template, content))
    ttl_cache.clear()


@pytest.mark.parametrize("channel", ["sms", "email"])
def test_a_test_key_sends_the_draft(tester: Caller, channel: str) -> None:
    template = (sms_template if channel == "sms" else email_template)(tester, "Dear ((name))")
    make_draft(template)
    send = tester.send_sms if channel == "sms" else tester.send_email

    answer = send(template, template_version="draft", personalisation=VALUES)

    assert answer.status_code == 201
    assert answer.json()["content"]["body"] == "Dear Ana, bring rope"
    assert answer.json()["template"]["version"] == Notification.objects.get().template_version == 2
    assert tester.get(answer.json()["template"]["uri"]).json()["body"] == "Dear ((name)), bring ((item))"
    assert send(template, personalisation=VALUES).json()["content"]["body"] == "Dear Ana"


def test_a_test_key_sends_any_version_by_its_number(tester: Caller, template: Template) -> None:
    published_again(template, "Hello ((name))")
    make_draft(template)

    for version, body in [(1, "Dear Ana"), (2, "Hello Ana"), (3, "Dear Ana, bring rope")]:
        answer = tester.send_email(template, template_version=version, personalisation=VALUES).json()
        assert (answer["content"]["body"], answer["template"]["version"]) == (body, version)


def test_the_values_are_checked_against_the_chosen_version(tester: Caller, template: Template) -> None:
    make_draft(template)

    answer = tester.send_email(template, template_version="draft", personalisation={"name": "Ana"})

    assert messages(answer) == ["Missing personalisation: item"]


@pytest.mark.parametrize("key_type", [KeyType.LIVE, KeyType.TEAM])
@pytest.mark.parametrize("version", ["draft", 1])
@pytest.mark.parametrize("channel", ["sms", "email"])
def test_other_keys_cannot_choose_a_version(key_type: KeyType, version: object, channel: str) -> None:
    caller = make_caller(key_type=key_type)
    template = (sms_template if channel == "sms" else email_template)(caller)
    make_draft(template)
    send = caller.send_sms if channel == "sms" else caller.send_email

    answer = send(template, template_version=version, personalisation=VALUES)

    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {"error": "BadRequestError", "message": "template_version can only be used with a test API key"}
    ]


@pytest.mark.parametrize(
    "value", [None, True, False, 0, -1, 1.0, "", "1", "Draft", "published", [], {}, 2**31], ids=repr
)
def test_a_wrong_version_is_an_error_of_the_body(tester: Caller, template: Template, value: object) -> None:
    answer = tester.send_email(template, template_version=value, personalisation=VALUES)

    shown = str(value).replace("'", "")
    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {
            "error": "ValidationError",
            "message": f"template_version {shown} is neither a version number nor draft",
        }
    ]


@pytest.mark.parametrize(("version", "message"), [("draft", "Template has no draft"), (7, "Template has no version 7")])
def test_a_version_that_does_not_exist_is_named(
    tester: Caller, template: Template, version: object, message: str
) -> None:
    answer = tester.send_email(template, template_version=version, personalisation=VALUES)

    assert (answer.status_code, messages(answer)) == (400, [message])


def test_the_draft_of_another_service_is_not_found(tester: Caller) -> None:
    foreign = make_template()
    make_draft(foreign)

    answer = tester.send_email(foreign, template_version="draft", personalisation=VALUES)

    assert messages(answer) == ["Template not found"]


def test_a_discarded_draft_is_no_draft(tester: Caller, template: Template) -> None:
    make_draft(template, state=VersionState.REPLACED)

    assert messages(tester.send_email(template, template_version="draft")) == ["Template has no draft"]


def test_a_dry_run_checks_the_chosen_version(tester: Caller, template: Template) -> None:
    make_draft(template)
    body = {"email_address": ADDRESS, "template_id": str(template.id), "template_version": "draft"}

    good = tester.post("/v2/notifications/email?dry_run=true", {**body, "personalisation": VALUES}).json()
    bad = tester.post("/v2/notifications/email?dry_run=true", {**body, "personalisation": {"name": "Ana"}}).json()
    wrong = tester.post("/v2/notifications/email?dry_run=true", {**body, "template_version": 0}).json()

    assert (good["accepted"], good["content"]["body"], good["template"]["version"]) == (True, "Dear Ana, bring rope", 2)
    failed = {one["check"]: one["errors"] for one in bad["checks"] if one["ok"] is False}
    assert [error["message"] for error in failed["personalisation"]] == ["Missing personalisation: item"]
    assert {one["check"]: one["ok"] for one in wrong["checks"]}["schema"] is False
    assert {one["check"]: one["ok"] for one in wrong["checks"]}["template"] is None


def test_a_dry_run_names_the_key_that_cannot_choose() -> None:
    caller = make_caller()
    template = sms_template(caller)
    body = {"phone_number": NUMBER, "template_id": str(template.id), "template_version": 1}

    run = caller.post("/v2/notifications/sms?dry_run=true", body).json()

    failed = {one["check"]: one["errors"][0]["message"] for one in run["checks"] if one["ok"] is False}
    assert failed == {"template": "template_version can only be used with a test API key"}


@pytest.mark.parametrize("key_type", list(KeyType))
def test_the_version_for_test_keys_is_used_by_test_keys_only(key_type: KeyType) -> None:
    caller = make_caller(key_type=key_type)
    template = sms_template(caller, "Dear ((name))")
    archived = sms_template(caller)
    Template.objects.filter(pk=archived.pk).update(archived_at=template.created_at)
    make_guest(caller.service, NUMBER)
    make_draft(template, state=VersionState.TEST)

    expected = (2, "Dear Ana, bring rope") if key_type == KeyType.TEST else (1, "Dear Ana")
    sent = caller.send_sms(template, personalisation=VALUES).json()
    shown = caller.post(f"/v2/template/{template.pk}/preview", {"personalisation": VALUES}).json()
    read = caller.get(f"/v2/template/{template.pk}").json()
    listed = caller.get("/v2/templates").json()["templates"]

    assert (sent["template"]["version"], sent["content"]["body"]) == expected
    assert (shown["version"], shown["body"]) == expected
    assert read["version"] == expected[0]
    assert [(one["id"], one["version"]) for one in listed] == [(str(template.pk), expected[0])]
    second = caller.get(f"/v2/template/{template.pk}/version/2").status_code
    assert second == (200 if key_type == KeyType.TEST else 404)


def test_the_console_uses_the_published_version_even_for_tests(template: Template) -> None:
    make_draft(template, state=VersionState.TEST)
    person = ConsoleSender(service=template.service, key_type=KeyType.TEST, name="mina")
    request = EmailRequest(
        email_address=parse_email_address(ADDRESS), template_id=template.pk, personalisation={"name": "Ana"}
    )

    assert submit.submit_email(person, request).body == "Dear Ana"


def test_a_bulk_send_uses_the_published_version(tester: Caller, template: Template) -> None:
    make_draft(template, state=VersionState.TEST)
    body: dict[str, Any] = {"name": "Tides", "template_id": str(template.pk)}
    rows = {"rows": [["email address", "name"], [ADDRESS, "Ana"]]}

    accepted = tester.post("/v2/notifications/bulk", {**body, **rows})
    refused = tester.post("/v2/notifications/bulk", {**body, **rows, "template_version": "draft"})

    assert (accepted.status_code, BulkSend.objects.get().template_version) == (201, 1)
    assert messages(refused) == ["Additional properties are not allowed (template_version was unexpected)"]


def test_a_change_that_repeats_an_idempotency_key_is_another_request(tester: Caller, template: Template) -> None:
    make_draft(template)
    key = {"Idempotency-Key": str(uuid4())}
    assert tester.send_email(template, personalisation=VALUES, headers=key).status_code == 201

    assert tester.send_email(template, personalisation=VALUES, template_version=2, headers=key).status_code == 422


@pytest.mark.parametrize("state", [VersionState.DRAFT, VersionState.TEST])
def test_the_database_keeps_one_draft_and_one_version_for_test_keys(template: Template, state: VersionState) -> None:
    make_draft(template, state=state)
    second = template.versions.get(number=1)
    second.pk, second.number, second.state = None, 3, state

    with pytest.raises(IntegrityError, match="template"):
        second.save(force_insert=True)
