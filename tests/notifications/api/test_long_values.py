"""The maximum number of items in a value. Source: docs/reference/sending-api.md §5, §7."""

import json
from typing import Any

import pytest

from tests.notifications.calling import ADDRESS, NUMBER, email_template, make_caller, sms_template

pytestmark = pytest.mark.django_db
REFUSED = {
    "error": "ValidationError",
    "message": "personalisation name has more than 10000 items",
}


def send(value: Any) -> Any:
    caller = make_caller()
    template = sms_template(caller, content="Hello ((name))")
    body = {"phone_number": NUMBER, "template_id": str(template.id), "personalisation": {"name": value}}
    return caller.post("/v2/notifications/sms", raw=json.dumps(body).encode())


def first(answer: Any) -> dict[str, str]:
    error = answer.json()["errors"][0]
    return {"error": error["error"], "message": error["message"]}


@pytest.mark.parametrize(
    "value",
    [
        [1] * 10_001,
        [{}] * 100_000,
        [[[1] * 5_000], [[2] * 5_001]],
        {"a": [None] * 10_000},
        {str(number): number for number in range(10_001)},
    ],
    ids=["a list", "objects", "lists of lists", "a list in an object", "an object"],
)
def test_a_value_of_more_than_10000_items_is_rejected(value: Any) -> None:
    answer = send(value)

    assert (answer.status_code, first(answer)) == (400, REFUSED)


def test_a_value_of_10000_items_reaches_the_other_checks() -> None:
    assert "Your message is too long." in first(send(["word"] * 10_000))["message"]


def test_a_preview_has_the_same_limit() -> None:
    caller = make_caller()
    template = sms_template(caller, content="Hello ((name))")
    body = json.dumps({"personalisation": {"name": [1] * 10_001}}).encode()

    answer = caller.post(f"/v2/template/{template.id}/preview", raw=body)

    assert (answer.status_code, first(answer)) == (400, REFUSED)


@pytest.mark.parametrize("value", [[{}] * 3_000_000, [""] * 3_000_000, [[]] * 200_001, {"a": [0] * 200_002}])
@pytest.mark.fault("E9")
def test_too_many_values_are_rejected_before_they_are_parsed(value: Any) -> None:
    answer = send(value)

    assert (answer.status_code, first(answer)) == (
        400,
        {"error": "BadRequestError", "message": "The request body has more values than one request may hold"},
    )


def test_commas_and_brackets_in_texts_do_not_count() -> None:
    assert "Your message is too long." in first(send('[{,"' * 300_000))["message"]


TOO_LARGE = {
    "error": "BadRequestError",
    "message": "The email is too large for a preview. It needs more than 300 MiB of memory, 4 seconds or 10 MB of HTML",
}


def test_the_preview_and_the_dry_run_of_an_email_that_is_too_large_to_show_are_rejected() -> None:
    caller = make_caller()
    template = email_template(caller, content="((a))\n\n- a\n" + "- a\n" * 450_000)
    body = {"personalisation": {"a": "x"}}

    preview = caller.post(f"/v2/template/{template.id}/preview", body)
    dry_run = caller.post(
        "/v2/notifications/email?dry_run=true",
        {**body, "email_address": ADDRESS, "template_id": str(template.id)},
    )

    assert [(one.status_code, first(one)) for one in (preview, dry_run)] == [(400, TOO_LARGE)] * 2


def test_a_value_in_many_placeholders_is_too_long_and_never_filled_in_whole() -> None:
    caller = make_caller()
    template = email_template(caller, content="((a))" * 100_000)
    body = {"email_address": ADDRESS, "template_id": str(template.id), "personalisation": {"a": "x" * 500_000}}

    sent = caller.post("/v2/notifications/email", body)
    dry_run = caller.post("/v2/notifications/email?dry_run=true", body)

    assert sent.status_code == 400
    assert "Emails cannot be longer than 2000000 bytes." in first(sent)["message"]
    assert (dry_run.json()["accepted"], dry_run.json()["html"]) == (False, None)
