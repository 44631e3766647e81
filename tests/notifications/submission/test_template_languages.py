"""One template in several languages: each send chooses one, and the first language is used for the others."""

import pytest

from config.invalid import InvalidValue
from notifications.models import BulkSend, Notification, Template
from notifications.submission import templates, ttl_cache
from notifications.submission.bulk import steps
from notifications.submission.bulk.retry import RETRIED
from notifications.submission.templates import redaction
from notifications.validation.languages import parse_language
from notifications.validation.templates import check_translations
from tests.notifications.calling import ADDRESS, Caller, email_template, make_caller, sms_template

pytestmark = pytest.mark.django_db

WELSH = {"language": "cy", "subject": "Shwmae ((name))", "content": "Annwyl ((enw))"}


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def translated(template: Template, *translations: dict[str, str | None], language: str = "en") -> Template:
    template.versions.update(language=language, translations=list(translations))
    ttl_cache.clear()
    return template


@pytest.mark.parametrize(
    ("wanted", "used"), [(None, "en-GB"), ("cy", "cy"), ("cy-GB", "cy"), ("en", "en-GB"), ("fr", "en-GB")]
)
def test_the_language_or_else_the_first_one_is_used(caller: Caller, wanted: str | None, used: str) -> None:
    template = translated(email_template(caller, "Dear ((name))", "Hello"), WELSH, language="en-GB")

    assert templates.text_of(template.published()).in_language(wanted).language == used


def test_a_send_has_the_subject_and_body_of_its_language(caller: Caller) -> None:
    template = translated(email_template(caller, "Dear ((name))", "Hello"), WELSH)
    values = {"name": "Ana", "enw": "Ana"}

    content = caller.send_email(template, personalisation=values, language="CY").json()["content"]
    caller.send_email(template, personalisation=values)

    assert (content["subject"], content["body"]) == ("Shwmae Ana", "Annwyl Ana")
    assert sorted(Notification.objects.values_list("language", "body")) == [("cy", "Annwyl Ana"), ("en", "Dear Ana")]


def test_a_list_has_the_conjunction_of_its_language(caller: Caller) -> None:
    welsh = {"language": "cy", "subject": None, "content": "Prynwch ((things))"}
    template = translated(sms_template(caller, "Buy ((things))"), welsh)
    things = {"things": ["bara", "llaeth", "te"]}

    sent = caller.send_sms(template, personalisation=things, language="cy").json()["content"]["body"]
    english = caller.send_sms(template, personalisation=things).json()["content"]["body"]

    assert sent == "Prynwch bara, llaeth a te"
    assert english == "Buy bara, llaeth and te"


def test_the_unsubscribe_link_of_a_preview_has_its_language(caller: Caller) -> None:
    template = translated(email_template(caller, "Dear ((name))", "Hello"), WELSH)
    template.versions.update(unsubscribe_link=True)
    ttl_cache.clear()
    body = {"personalisation": {"name": "Ana", "enw": "Ana"}, "language": "cy"}

    shown = caller.post(f"/v2/template/{template.id}/preview", body).json()

    assert "Dad-danysgrifio" in shown["html"]


def test_placeholders_are_those_of_the_language(caller: Caller) -> None:
    template = translated(email_template(caller, "Dear ((name))", "Hello"), WELSH)

    missing = caller.send_email(template, personalisation={"name": "Ana"}, language="cy")
    enough = caller.send_email(template, personalisation={"name": "Ana"}, language="fr")

    assert missing.json()["errors"][0]["message"] == "Missing personalisation: enw"
    assert enough.status_code == 201


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("", "language  is not a language code"),
        ("Welsh, please", "language Welsh, please is not a language code"),
        (7, "language 7 is not of type string"),
        (None, "language None is not of type string"),
    ],
)
@pytest.mark.parametrize("path", ["sms", "email", "bulk"])
def test_a_wrong_code_is_refused(caller: Caller, path: str, language: object, message: str) -> None:
    template = sms_template(caller) if path == "sms" else email_template(caller)
    recipient = {"sms": {"phone_number": "07700900123"}, "email": {"email_address": ADDRESS}}
    body = {
        "template_id": str(template.pk),
        "language": language,
        **recipient.get(path, {"name": "T", "rows": [["a"]]}),
    }

    answer = caller.post(f"/v2/notifications/{path}", body)

    assert answer.status_code == 400
    assert answer.json()["errors"][0] == {"error": "ValidationError", "message": message}


def test_a_dry_run_and_a_preview_show_the_language(caller: Caller) -> None:
    template = translated(email_template(caller, "Dear ((name))", "Hello"), WELSH)
    values = {"personalisation": {"name": "Ana", "enw": "Ana"}, "language": "cy"}
    body = {"email_address": ADDRESS, "template_id": str(template.pk), **values}

    run = caller.post("/v2/notifications/email?dry_run=true", body).json()
    preview = caller.post(f"/v2/template/{template.pk}/preview", values).json()

    assert (run["content"]["body"], preview["body"], preview["subject"]) == (*["Annwyl Ana"] * 2, "Shwmae Ana")


def test_a_bulk_send_and_its_retry_have_one_language(caller: Caller) -> None:
    template = translated(sms_template(caller, "Dear ((name))"), {**WELSH, "subject": None})
    body = {"name": "T", "template_id": str(template.pk), "language": "cy"}
    rows = [["phone number", "enw"], ["07700900123", "Ana"]]

    created = caller.post("/v2/notifications/bulk", {**body, "rows": rows})
    while steps.take_next():
        pass
    message = Notification.objects.get()
    Notification.objects.update(status=RETRIED[0], completed_at=message.created_at)
    retried = caller.post(f"/v2/notifications/bulk/{created.json()['data']['id']}/retry-failed")

    assert (message.language, message.body) == ("cy", "Annwyl Ana")
    assert retried.status_code == 201
    assert set(BulkSend.objects.values_list("language", flat=True)) == {"cy"}


def test_a_redacted_message_shows_the_text_of_its_language(caller: Caller) -> None:
    template = translated(email_template(caller, "Dear ((name))", "Hello", redact_personalisation=True), WELSH)
    caller.send_email(template, personalisation={"name": "Ana", "enw": "Ana"}, language="cy")

    message = Notification.objects.select_related("template").get()

    assert redaction.text(message) == redaction.ShownText(subject="Shwmae [hidden]", body="Annwyl [hidden]")
    assert redaction.pieces(message)[1][0].text == "Annwyl "


@pytest.mark.parametrize("code", ["", "e", "english", "en_GB", "en-", "en-x", "cy\n", "en-GB-oxendict-1-2-3"])
def test_other_texts_are_no_codes(code: str) -> None:
    with pytest.raises(InvalidValue):
        parse_language(code)


@pytest.mark.parametrize(
    ("translations", "reason"),
    [
        ([{**WELSH, "language": "en"}], "occurs twice"),
        ([{**WELSH, "language": "CY"}], "as “cy”"),
        ([{**WELSH, "subject": ""}], "cy: Enter a subject."),
        ([{**WELSH, "content": " "}], "cy: Enter the message."),
        ([{**WELSH, "language": f"a{letter}"} for letter in "abcdefghij"], "at most 10 languages"),
    ],
)
def test_invalid_translations_are_refused(translations: list[dict[str, str | None]], reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        check_translations("en", translations, is_text_message=False)
