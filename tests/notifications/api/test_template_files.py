"""Fixed files of templates by the API. Source: docs/reference/sending-api.md §17.5."""

import uuid
from typing import Any

import pytest

from config.audit.models import AuditEvent
from notifications.models import Template, TemplateFile
from notifications.submission import ttl_cache
from tests.factories import make_service, make_template
from tests.notifications.attachments.samples import CSV, EICAR
from tests.notifications.attachments.sending import file_of, links_in
from tests.notifications.calling import Caller, make_caller, messages

pytestmark = pytest.mark.django_db

PATH = "/v2/templates"
BODY = "Dear ((name))\n\n((terms))"
NEW = {"name": "Visit", "type": "email", "subject": "Hi", "body": BODY}
TERMS = file_of(CSV, filename="terms.csv", confirm_email_before_download=False, retention_period="10 weeks")


@pytest.fixture
def caller() -> Caller:
    caller = make_caller(file_contact="help@example.org")
    caller.key.manages_templates = True
    caller.key.save()
    return caller


@pytest.fixture
def template(caller: Caller) -> Template:
    created = caller.post(PATH, {**NEW, "files": {"terms": TERMS}})
    assert created.status_code == 201, created.json()
    return Template.objects.get()


def change(caller: Caller, template: Template, **body: Any) -> Any:
    answer = caller.patch(f"{PATH}/{template.pk}", body)
    ttl_cache.clear()
    template.refresh_from_db()
    return answer


def contents(template: Template) -> dict[str, bytes]:
    return {name: TemplateFile.objects.get(pk=options["id"]).data() for name, options in template.fixed_files.items()}


def test_a_template_is_created_with_a_file_and_a_send_contains_its_link(caller: Caller, template: Template) -> None:
    record = caller.get(f"{PATH}/{template.pk}").json()
    sent = caller.send_email(template, personalisation={"name": "Ana"})

    assert record["files"] == {
        "terms": {
            "id": template.fixed_files["terms"]["id"],
            "filename": "terms.csv",
            "content_type": "text/csv",
            "size_bytes": len(CSV),
            "confirm_email_before_download": False,
            "retention_period": "10 weeks",
        }
    }
    assert record["personalisation"]["terms"] == {"required": False}
    assert len(links_in(sent.json()["content"]["body"])) == 1


def test_a_file_is_read_in_the_form_in_which_it_was_given(caller: Caller, template: Template) -> None:
    identifier = template.fixed_files["terms"]["id"]

    assert caller.get(f"{PATH}/{template.pk}/files/{identifier}").json() == TERMS
    assert messages(caller.get(f"{PATH}/{template.pk}/files/{uuid.uuid4()}")) == ["No result found"]
    assert messages(caller.get(f"{PATH}/{template.pk}/files/x")) == ["file_id is not a valid UUID"]


def test_a_change_replaces_adds_and_removes_the_named_files_only(caller: Caller, template: Template) -> None:
    added = change(caller, template, files={"map": file_of(b"a,b\n", filename="map.csv")})
    replaced = change(caller, template, files={"TERMS": file_of(b"c,d\n", filename="new.csv")})
    removed = change(caller, template, files={"map": None, "unknown": None})

    assert [answer.status_code for answer in (added, replaced, removed)] == [200, 200, 200]
    assert contents(template) == {"TERMS": b"c,d\n"}
    assert TemplateFile.objects.count() == 1
    assert template.current_version == 1
    verbs = AuditEvent.objects.filter(object_kind="template").order_by("at").values_list("verb", flat=True)
    assert list(verbs) == ["created", "added_file", "added_file", "added_file", "removed_file"]


def test_a_repeated_call_changes_nothing(caller: Caller, template: Template) -> None:
    before, events = caller.get(f"{PATH}/{template.pk}").json(), AuditEvent.objects.count()

    after = change(caller, template, files={"terms": TERMS}, body=BODY).json()

    assert (after, AuditEvent.objects.count()) == (before, events)


def test_a_file_and_its_placeholder_come_and_go_in_one_call(caller: Caller, template: Template) -> None:
    gone = change(caller, template, body="Dear ((name))", files={"terms": None})
    back = change(caller, template, body=BODY, files={"terms": TERMS})

    assert [gone.json()["files"], list(back.json()["files"])] == [{}, ["terms"]]
    assert contents(template) == {"terms": CSV}


@pytest.mark.parametrize("text", [{}, {"body": "Dear ((name))", "state": "draft"}])
def test_a_file_that_a_text_in_use_needs_is_kept(caller: Caller, template: Template, text: dict[str, Any]) -> None:
    answer = change(caller, template, files={"terms": None}, **text)

    assert messages(answer) == ["files: Version 1 has the placeholder ((terms)). Publish a text without it first."]
    assert contents(template) == {"terms": CSV}
    assert template.versions.count() == 1


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([], ["files [] is not of type object"]),
        ({"terms": "x"}, ["files.terms x is not of type object, null"]),
        ({"terms": {"filename": "a.csv"}}, ["files.terms.file is a required property"]),
        ({"terms": {"file": 7}}, ["file 7 is not of type string"]),
        ({"terms": {"file": "?"}}, ["Document is not base64 encoded"]),
        ({"terms": file_of(b"x" * 2 * 1024 * 1024)}, ["Uploaded file exceeds file size limit"]),
        ({"terms": file_of(EICAR, filename="a.txt")}, ["File did not pass the virus scan"]),
        (
            {"terms": file_of(filename="terms", retention_period="99 weeks")},
            [
                "retention_period Unsupported value for retention_period: 99 weeks. "
                "Supported periods are from 1 to 78 weeks.",
                "filename `filename` must end with a file extension. For example, filename.csv",
            ],
        ),
        (
            {"late??yes": file_of()},
            ["files: Enter the name of a placeholder, without brackets and question marks."],
        ),
        ({"terms": file_of(), "Terms": None}, ["files: Give each placeholder one file."]),
        (
            {f"f{number}": file_of() for number in range(10)},
            ["files: A template can have at most 10 files. Remove one first."],
        ),
    ],
    ids=["list", "text", "no file", "number", "base64", "size", "virus", "options", "name", "twice", "many"],
)
def test_wrong_files_have_the_errors_of_a_send_and_change_nothing(
    caller: Caller, template: Template, files: Any, expected: list[str]
) -> None:
    answer = change(caller, template, files=files, body="New")

    assert answer.status_code == 400
    assert messages(answer) == expected
    assert contents(template) == {"terms": CSV}
    assert template.current_version == 1


def test_only_changes_of_files_need_the_scanner(caller: Caller, template: Template, settings: Any) -> None:
    settings.SCANNER = "clamd:tcp:127.0.0.1:1"  # nothing answers there

    assert change(caller, template, name="Renamed", files={"map": None}).status_code == 200
    assert change(caller, template, files={"map": TERMS}).status_code == 500
    assert contents(template) == {"terms": CSV}


def test_a_new_template_removes_no_file(caller: Caller) -> None:
    assert messages(caller.post(PATH, {**NEW, "files": {"terms": None}})) == ["files.terms None is not of type object"]


def test_a_text_message_has_no_files(caller: Caller) -> None:
    text = make_template(caller.service, "sms", "Code")
    new = {"name": "A", "type": "sms", "body": "Hi", "files": {"terms": TERMS}}

    for answer in (caller.post(PATH, new), change(caller, text, files={"terms": TERMS})):
        assert messages(answer) == ["files: This is for emails only."]


def test_the_service_needs_a_contact() -> None:
    caller = make_caller()
    caller.key.manages_templates = True
    caller.key.save()

    [message] = messages(caller.post(PATH, {**NEW, "files": {"terms": TERMS}}))

    assert message.startswith("Send files by email has not been set up")
    assert not Template.objects.exists()


def test_other_keys_and_other_services_read_and_change_no_file(caller: Caller, template: Template) -> None:
    place = f"{PATH}/{template.pk}/files/{template.fixed_files['terms']['id']}"
    sender, stranger = make_caller(caller.service), make_caller(make_service(file_contact="help@example.org"))
    stranger.key.manages_templates = True
    stranger.key.save()

    assert sender.get(place).status_code == 403
    assert change(sender, template, files={"terms": TERMS}).status_code == 403
    assert stranger.get(place).status_code == 404
    assert change(stranger, template, files={"terms": TERMS}).status_code == 404
    own = make_template(stranger.service)
    assert stranger.get(f"{PATH}/{own.pk}/files/{template.fixed_files['terms']['id']}").status_code == 404
