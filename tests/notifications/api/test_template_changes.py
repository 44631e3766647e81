"""POST /v2/templates, GET and PATCH /v2/templates/{id}. Source: docs/reference/sending-api.md §17.5."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from config.audit.models import AuditEvent
from notifications.models import Template, VersionState
from notifications.submission import ttl_cache
from notifications.submission.templates import use_counts
from tests.factories import make_service, make_template
from tests.notifications.calling import Caller, email_template, make_caller, messages, sms_template

pytestmark = pytest.mark.django_db

PATH = "/v2/templates"
ODD = " \r\n---\nDear ((name))\u2028 \t\n\n"


@pytest.fixture
def caller() -> Caller:
    caller = make_caller()
    caller.key.manages_templates = True
    caller.key.save()
    return caller


def change(caller: Caller, template: Template, **body: Any) -> Any:
    answer = caller.patch(f"{PATH}/{template.pk}", body)
    ttl_cache.clear()
    template.refresh_from_db()
    return answer


def versions(template: Template) -> list[tuple[int, str, str]]:
    return list(template.versions.order_by("number").values_list("number", "state", "content"))


def verbs() -> list[str]:
    return list(AuditEvent.objects.filter(object_kind="template").order_by("at").values_list("verb", flat=True))


def test_a_created_template_has_exactly_the_given_text_and_can_be_sent(caller: Caller) -> None:
    body = {
        "name": "Visit",
        "type": "email",
        "subject": "Hi ((name)) ",
        "body": ODD,
        "unsubscribe_link": True,
        "respect_quiet_hours": True,
        "tags": ["flood", "spring"],
        "defaults": {"name": "Sir or Madam"},
        "language": "en",
        "translations": [{"language": "cy", "subject": "Helo", "body": "Annwyl ((name))"}],
        "note": "first",
    }

    created = caller.post(PATH, body)

    record = created.json()
    assert created.status_code == 201
    given = {name: value for name, value in body.items() if name != "note"}
    assert {name: record[name] for name in given} == given
    assert (record["version"], record["unpublished"]) == (1, None)
    assert (record["archived"], record["redact_personalisation"]) == (False, False)
    template = Template.objects.get(pk=record["id"])
    assert caller.get(f"{PATH}/{template.pk}").json() == record
    assert caller.get(f"/v2/template/{template.pk}").json()["body"] == ODD
    assert caller.send_email(template, personalisation={}).status_code == 201
    version = template.published()
    assert (version.note, version.created_by, template.created_by) == ("first", caller.key.name, caller.key.name)
    event = AuditEvent.objects.get(verb="created", object_kind="template")
    assert (event.actor_label, event.object_id) == (caller.key.name, str(template.pk))


def test_a_key_without_the_permission_changes_and_reads_nothing(caller: Caller) -> None:
    template = email_template(caller)
    other = make_caller(caller.service)

    answers = [
        other.post(PATH, {"name": "A", "type": "sms", "body": "Hi"}),
        other.get(f"{PATH}/{template.pk}"),
        other.patch(f"{PATH}/{template.pk}", {"archived": True}),
    ]

    assert {answer.status_code for answer in answers} == {403}
    assert {message for answer in answers for message in messages(answer)} == {"This API key may not manage templates"}
    assert other.get(PATH).status_code == 200
    assert Template.objects.get().archived_at is None


def test_templates_of_other_services_and_unknown_ones_are_not_found(caller: Caller) -> None:
    theirs = make_template(make_service())

    for place in (theirs.pk, uuid.uuid4()):
        assert messages(caller.get(f"{PATH}/{place}")) == ["No result found"]
        assert messages(caller.patch(f"{PATH}/{place}", {"archived": True})) == ["No result found"]
    assert messages(caller.get(f"{PATH}/x")) == ["template_id is not a valid UUID"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, ["name is a required property", "type is a required property", "body is a required property"]),
        (
            {"name": 1, "type": "letter", "body": None, "state": "draft"},
            [
                "name 1 is not of type string",
                "type letter is not one of [sms, email]",
                "body None is not of type string",
                "Additional properties are not allowed (state was unexpected)",
            ],
        ),
        (
            {"name": "Pаrks", "type": "email", "body": " "},
            [
                "name: Use letters of one alphabet: “Pаrks” mixes Cyrillic and Latin.",
                "subject: Enter a subject.",
                "body: Enter the message.",
            ],
        ),
        (
            {"name": "A", "type": "sms", "body": "Hi", "subject": "Hi", "unsubscribe_link": True},
            ["subject: This is for emails only.", "unsubscribe_link: This is for emails only."],
        ),
        (
            {"name": "A", "type": "sms", "body": "🛶", "note": "n" * 256},
            [f"note {'n' * 255} is too long"],
        ),
        (
            {"name": "A", "type": "sms", "body": "🛶"},
            ["body: A text message cannot contain 🛶. It would arrive as a question mark."],
        ),
    ],
)  # fmt: skip
def test_wrong_values_are_refused_with_the_words_of_the_editor(
    caller: Caller, body: dict[str, Any], expected: list[str]
) -> None:
    answer = caller.post(PATH, body)

    assert (answer.status_code, messages(answer)) == (400, expected)
    assert not Template.objects.exists()


def test_a_changed_text_is_published_at_once_and_the_same_text_makes_no_version(caller: Caller) -> None:
    template = sms_template(caller, "Hi", name="A")

    first = change(caller, template, body="Hello", name="B", note="kinder")
    again = change(caller, template, body="Hello", name="B")

    assert first.json() == again.json()
    assert (first.json()["version"], first.json()["name"], first.json()["subject"]) == (2, "B", None)
    assert versions(template) == [(1, "published", "Hi"), (2, "published", "Hello")]
    assert template.name == "B"
    event = AuditEvent.objects.get(verb="published")
    assert (event.actor_label, event.reason) == (caller.key.name, "kinder")
    assert event.after == {"version": 2, "name": "B", "content": "Hello"}


def test_a_draft_is_edited_step_by_step_and_published_without_its_text(caller: Caller) -> None:
    template = email_template(caller, "One", subject="Hi")

    draft = change(caller, template, body="Two", state="draft").json()
    change(caller, template, subject="Hello", state="draft")
    options = change(caller, template, respect_quiet_hours=True).json()
    assert template.current_version == 1
    published = change(caller, template, state="published").json()

    assert (draft["version"], draft["body"]) == (1, "One")
    assert draft["unpublished"] == {
        "version": 2,
        "state": "draft",
        "name": template.name,
        "subject": "Hi",
        "body": "Two",
        "unsubscribe_link": False,
        "defaults": {},
        "language": "en",
        "translations": [],
    }
    assert (options["version"], options["unpublished"]["version"], options["respect_quiet_hours"]) == (1, 3, True)
    assert (published["version"], published["body"], published["subject"]) == (3, "Two", "Hello")
    assert published["unpublished"] is None
    assert verbs() == ["saved_draft", "saved_draft", "changed", "published"]


def test_a_text_without_a_state_is_based_on_the_published_version_not_on_the_draft(caller: Caller) -> None:
    template = email_template(caller, "One", subject="Hi")
    change(caller, template, body="Unfinished", state="draft")

    change(caller, template, subject="Hello")

    assert (template.published().subject, template.published().content) == ("Hello", "One")
    assert template.newest() == template.published()


def test_a_text_for_test_keys_leaves_other_keys_with_the_published_one(caller: Caller) -> None:
    template = email_template(caller, "One")

    answer = change(caller, template, body="Two", state="test").json()

    assert (answer["version"], answer["unpublished"]["state"], answer["unpublished"]["version"]) == (1, "test", 2)
    assert caller.get(f"/v2/template/{template.pk}").json()["body"] == "One"


def test_archiving_and_restoring(caller: Caller) -> None:
    template = sms_template(caller)

    archived = change(caller, template, archived=True).json()
    change(caller, template, archived=True)
    refused = caller.send_sms(template)
    restored = change(caller, template, archived=False).json()

    assert (archived["archived"], restored["archived"]) == (True, False)
    assert messages(refused) == ["Template has been deleted"]
    assert caller.send_sms(template).status_code == 201
    assert verbs() == ["archived", "restored"]


def test_tags_and_defaults_are_replaced_and_follow_the_rules_of_the_editor(caller: Caller) -> None:
    template = sms_template(caller, "Dear ((name))")

    changed = change(caller, template, tags=["Spring", "flood"], defaults={"Name": "all"}).json()
    kept = change(caller, template, respect_quiet_hours=True).json()
    refused = change(caller, template, tags=["a,b"], body="Dear all")

    assert (changed["tags"], changed["defaults"], changed["version"]) == (["flood", "spring"], {"Name": "all"}, 2)
    assert (kept["tags"], kept["defaults"], kept["version"]) == (["flood", "spring"], {"Name": "all"}, 2)
    assert messages(refused) == [
        "tags: Remove the comma from the tag “a,b”.",
        "defaults: The text has no placeholder ((Name)), so remove its default value.",
    ]
    assert change(caller, template, tags=[], defaults={}, body="Dear all").json()["tags"] == []
    assert messages(change(caller, template, tags="a", defaults={"name": 1})) == [
        "tags a is not of type array",
        "defaults 1 is not of type string",
    ]


def test_translations_follow_the_rules_of_the_editor_and_stay_with_a_changed_text(caller: Caller) -> None:
    template = sms_template(caller, "Dear all")
    welsh = {"language": "cy", "subject": None, "body": "Annwyl bawb"}

    assert change(caller, template, translations=[welsh]).json()["translations"] == [welsh]
    assert change(caller, template, body="Dear everybody").json()["translations"] == [welsh]
    for wrong, expected in (
        ([welsh, welsh], "translations: The language cy occurs twice. Remove one of the texts."),
        ([{**welsh, "body": " "}], "translations: cy: Enter the message."),
        ([{**welsh, "language": 7}], "translations: language 7 is not of type string"),
        ([{**welsh, "colour": "red"}], "Additional properties are not allowed (colour was unexpected)"),
        (welsh, f"translations {welsh} is not of type array".replace("'", "")),
    ):
        assert messages(change(caller, template, translations=wrong)) == [expected]


def test_redaction_cannot_be_turned_off(caller: Caller) -> None:
    template = sms_template(caller)

    assert change(caller, template, redact_personalisation=True).json()["redact_personalisation"] is True
    assert messages(change(caller, template, redact_personalisation=False)) == [
        "redact_personalisation: This cannot be turned off."
    ]
    assert verbs() == ["redacted"]


def test_stored_values_stay_valid(caller: Caller) -> None:
    template = sms_template(caller, "🛶", name="Pаrks")

    assert change(caller, template, respect_quiet_hours=True).status_code == 200
    assert messages(change(caller, template, subject="Hi")) == ["subject: This is for emails only."]


def test_publishing_that_breaks_calls_is_refused_unless_the_request_says_so(caller: Caller) -> None:
    template = sms_template(caller, "Dear ((name))")
    with time_machine.travel(timezone.now() - timedelta(days=1), tick=False):
        for values in ({"name": "a"}, {"name": "a", "day": "b"}):
            assert caller.send_sms(template, personalisation=values).status_code == 201
    use_counts.store_pending()
    text = "Dear ((name)), see you on ((day))"

    refused = change(caller, template, body=text, respect_quiet_hours=True)
    assert refused.status_code == 409
    assert refused.json()["errors"][0]["error"] == "TemplateBreaksCalls"
    assert messages(refused) == [
        "Publishing this text breaks calls that do not send: day. "
        f"Keys: {caller.key.name}. Yesterday 1 of 2 calls would have failed"
    ]
    assert (len(versions(template)), template.respect_quiet_hours) == (1, False)

    assert change(caller, template, body=text, state="draft").status_code == 200
    assert change(caller, template, state="published").status_code == 409
    assert change(caller, template, state="published", breaks_calls=True).status_code == 200
    assert template.published().content == text
    assert template.published().state == VersionState.PUBLISHED
    assert AuditEvent.objects.get(verb="published").after["breaks_calls_without"] == ["day"]
