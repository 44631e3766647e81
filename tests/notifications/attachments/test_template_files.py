"""Fixed files of templates: uploaded once in the console, and sent with a link and a key for each recipient."""

import html
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from config.audit.models import AuditEvent
from notifications.attachments import store
from notifications.models import Attachment, Notification, Role, Service, Template, TemplateFile
from notifications.submission import ttl_cache
from tests.factories import make_service
from tests.notifications.attachments.samples import CSV
from tests.notifications.attachments.sending import file_caller, file_of, key_of, links_in
from tests.notifications.calling import ADDRESS, Caller, email_template, make_caller, sms_template
from tests.people import browser_of, colleague, join, make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def caller() -> Caller:
    return file_caller()


@pytest.fixture
def template(caller: Caller) -> Template:
    return email_template(caller, "Dear ((name))\n\n((Terms))", name="Welcome")


def page_of(template: Template, page: str = "files") -> str:
    return reverse(f"admin:notifications_template_{page}", args=[template.pk])


def upload(client: Client, template: Template, data: bytes = CSV, **fields: Any) -> str:
    file = SimpleUploadedFile(fields.pop("filename", "terms.csv"), data)
    form = {"placeholder": "terms", "file": file, "weeks": 10, "asks_for_email_address": "on", **fields}
    ttl_cache.clear()
    return html.unescape(client.post(page_of(template), form, follow=True).content.decode())


def send(caller: Caller, template: Template, to: str = ADDRESS, **values: object) -> Any:
    ttl_cache.clear()
    return caller.send_email(template, personalisation={"name": "Ana", **values}, email_address=to)


def contents() -> list[bytes]:
    """Return the files of all messages, opened with the links that are sent."""
    found = []
    for message in Notification.objects.all():
        for link in links_in(message.outgoing[1]):
            key = key_of(link)
            row = Attachment.objects.get(pk=key.file_id)
            found.append(key.open(store.read(row.storage_name), service_id=row.service_id))
    return found


def test_each_recipient_gets_a_link_with_a_key_of_its_own(console: Client, caller: Caller, template: Template) -> None:
    page = upload(console, template)

    answers = [send(caller, template), send(caller, template, "bo@example.org", TERMS=file_of(b"other text"))]

    assert "Added the file for ((terms))." in page
    links = [link for answer in answers for link in links_in(answer.json()["content"]["body"])]
    assert len({key_of(link).secret for link in links}) == len({key_of(link).file_id for link in links}) == 2
    rows = list(Attachment.objects.all())
    assert [(row.name, row.size_bytes, row.email_tag is None) for row in rows] == [("terms.csv", len(CSV), False)] * 2
    assert contents() == [CSV, CSV]


def test_the_content_is_stored_encrypted(console: Client, template: Template) -> None:
    upload(console, template, b"heron-4711,marker\n")

    row = TemplateFile.objects.get()
    assert row.data() == b"heron-4711,marker\n"
    assert b"heron" not in bytes(row.encrypted_content)


def test_without_a_file_the_value_is_missing(caller: Caller, template: Template) -> None:
    assert send(caller, template).json()["errors"][0]["message"] == "Missing personalisation: Terms"


def test_the_placeholder_is_not_required_and_a_preview_shows_a_link(
    console: Client, caller: Caller, template: Template
) -> None:
    upload(console, template)
    ttl_cache.clear()

    found = caller.get(f"/v2/template/{template.pk}").json()["personalisation"]
    preview = caller.post(f"/v2/template/{template.pk}/preview", {"personalisation": {"name": "Ana"}}).json()
    run = {"email_address": ADDRESS, "template_id": str(template.pk), "personalisation": {"name": "Ana"}}
    dry_run = caller.post("/v2/notifications/email?dry_run=true", run).json()

    assert found == {"name": {"required": True}, "Terms": {"required": False}}
    assert "test-document" in preview["body"]
    assert "test-document" in dry_run["content"]["body"]
    assert not Attachment.objects.exists()


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"data": b"x" * (2 * 1024 * 1024)}, "Uploaded file exceeds file size limit"),
        ({"data": b"MZ\x90\x00", "filename": "tool.exe"}, "Unsupported file type"),
        ({"placeholder": "late??yes"}, "Enter the name of a placeholder"),
        ({"placeholder": "(())"}, "Enter the name of a placeholder"),
        ({"weeks": 79}, "less than or equal to 78"),
    ],
    ids=["size", "type", "condition", "empty", "weeks"],
)
def test_a_wrong_upload_is_refused(console: Client, template: Template, fields: dict[str, Any], error: str) -> None:
    page = upload(console, template, **fields)

    assert error in page
    assert not TemplateFile.objects.exists()


def test_another_file_replaces_the_first(console: Client, caller: Caller, template: Template) -> None:
    upload(console, template)
    upload(console, template, b"new,text\n", placeholder="TERMS", filename="new.csv")
    template.refresh_from_db()

    send(caller, template)

    assert [options["filename"] for options in template.fixed_files.values()] == ["new.csv"]
    assert TemplateFile.objects.count() == 1
    assert contents() == [b"new,text\n"]


def test_a_removed_file_stays_with_accepted_messages(console: Client, caller: Caller, template: Template) -> None:
    upload(console, template)
    send(caller, template)
    url = f"{page_of(template, 'remove-file')}?name=terms"

    refused = html.unescape(console.post(url, follow=True).content.decode())
    words = {**template.published().words(), "content": "Dear ((name))"}
    template.publish(template.save_draft(words, note="", author=""))
    removed = html.unescape(console.post(url, follow=True).content.decode())

    assert "Version 1 has the placeholder ((terms)). Publish a text without it first." in refused
    assert "Removed the file for ((terms))." in removed
    assert not TemplateFile.objects.exists()
    assert contents() == [CSV]
    assert set(AuditEvent.objects.values_list("verb", flat=True)) >= {"added_file", "removed_file"}
    assert console.get(url).status_code == 404


def test_bulk_sends_and_fallbacks_cannot_have_files(console: Client, caller: Caller, template: Template) -> None:
    upload(console, template)
    ttl_cache.clear()
    rows = [["email address", "name"], [ADDRESS, "Ana"]]
    fallback = {"email_address": ADDRESS, "template_id": str(template.pk)}

    bulk = caller.post("/v2/notifications/bulk", {"name": "T", "template_id": str(template.pk), "rows": rows})
    text = caller.send_sms(sms_template(caller), personalisation={"name": "Ana"}, fallback=fallback)

    assert bulk.json()["errors"][0]["message"] == "Template has files, so it can only be used for single emails"
    assert bulk.status_code == text.status_code == 400
    assert "Template has files" in text.json()["errors"][0]["message"]


def test_a_copy_in_another_service_has_its_own_file(console: Client, caller: Caller, template: Template) -> None:
    upload(console, template)
    template.refresh_from_db()
    target: Service = make_caller(file_contact="help@example.org").service
    person = make_person()
    join(person, target, Role.EDIT_TEMPLATES)
    join(person, template.service, Role.EDIT_TEMPLATES)
    browser_of(person).post(page_of(template, "copy"), {"service": target.pk, "name": "Welcome"})

    copied = Template.objects.get(service=target)

    assert copied.fixed_files["terms"]["id"] != template.fixed_files["terms"]["id"]
    assert TemplateFile.objects.get(pk=copied.fixed_files["terms"]["id"]).data() == CSV


def test_the_page_says_what_is_missing(console: Client, template: Template, caller: Caller) -> None:
    bare = email_template(make_caller(make_service()), "Hello")

    assert "No files yet." in console.get(page_of(template)).content.decode()
    assert "no contact for its download pages" in console.get(page_of(bare)).content.decode()
    assert "Only emails can have files." in console.get(page_of(sms_template(caller))).content.decode()


@pytest.mark.parametrize("page", ["files", "remove-file"])
@pytest.mark.parametrize(("is_member", "status"), [(True, 403), (False, 404)])
def test_other_people_cannot_change_files(template: Template, page: str, is_member: bool, status: int) -> None:
    service = template.service if is_member else make_service()
    client = colleague(service, Role.SEE_ACTIVITY)

    assert client.post(f"{page_of(template, page)}?name=terms").status_code == status
