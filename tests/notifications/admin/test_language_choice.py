"""The language of messages and bulk sends from the console. Source: docs/reference/console.md §2.11, §3.4."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from notifications.models import BulkSend, Notification, Role, Service, Template
from notifications.submission import ttl_cache
from notifications.submission.bulk import steps
from tests import factories
from tests.notifications.admin.bulk_uploads import BULK, send, text_of
from tests.people import colleague

SEND = "/admin/notifications/notification/send/"
WELSH = {"language": "cy", "subject": "Croeso", "content": "Annwyl ((enw)), diolch ((day))."}
WELSH_TABLE = "email address,enw,day\nana@example.com,Ana,Llun\n"


@pytest.fixture
def service(db: None) -> Service:
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service: Service) -> Template:
    made = factories.make_template(service, content="Dear ((name)) ((day))", subject="Welcome", name="Welcome")
    made.versions.update(translations=[WELSH])
    ttl_cache.clear()
    return made


@pytest.fixture
def browser(service: Service) -> Client:
    return colleague(service, Role.SEE_ACTIVITY, Role.SEND_MESSAGES, Role.SEE_RECIPIENTS, name="jo")


def chosen(page: HttpResponse) -> list[str]:
    return re.findall(r'sb-button-small" href="[^"]*" aria-current="true">(\w[^<]*)<', page.content.decode())


def labels(page: HttpResponse) -> list[str]:
    return [slot["name"] for slot in page.context["form"].slots()]


def press(browser: Client, button: str, template: Template, **fields: Any) -> Any:
    typed = {
        "template": str(template.pk),
        "recipient": "ana@example.org",
        "kind": "real",
        "sender": "",
        "reference": "",
    }
    return browser.post(SEND, {**typed, "value-0": "Ana", "value-1": "Llun", **fields, button: "yes"}, follow=True)


def test_the_send_page_offers_the_languages_and_begins_with_the_first(browser: Client, template: Template) -> None:
    first = browser.get(SEND, {"template": template.pk})
    welsh = browser.get(SEND, {"template": template.pk, "language": "cy"})

    assert f'href="?template={template.pk}&amp;language=cy"' in first.content.decode()
    assert (chosen(first), labels(first)) == (["English (en)"], ["name", "day"])
    assert (chosen(welsh), labels(welsh)) == (["Welsh (cy)"], ["enw", "day"])


def test_a_template_with_one_language_offers_no_choice(browser: Client, service: Service) -> None:
    one = factories.make_template(service, content="Dear ((name))")

    assert not chosen(browser.get(SEND, {"template": one.pk, "language": "cy"}))
    assert not chosen(browser.get(f"{BULK}add/", {"template": one.pk}))


def test_a_message_is_checked_and_sent_in_the_chosen_language(browser: Client, template: Template) -> None:
    page = press(browser, "check", template, language="cy")
    shown = page.content.decode()
    fields = {"nonce": page.context["nonce"], "checked": page.context["fingerprint"]}
    press(browser, "send", template, language="cy", **fields)

    message = Notification.objects.get()
    assert 'name="language" value="cy"' in shown
    assert "Croeso" in shown
    assert (message.language, message.subject, message.body) == ("cy", "Croeso", "Annwyl Ana, diolch Llun.")


def test_a_message_without_a_choice_is_in_the_first_language(browser: Client, template: Template) -> None:
    page = press(browser, "check", template)
    press(browser, "send", template, nonce=page.context["nonce"], checked=page.context["fingerprint"])

    assert Notification.objects.get().body == "Dear Ana Llun"


def test_a_missing_value_of_the_language_is_an_error_beside_its_field(browser: Client, template: Template) -> None:
    page = press(browser, "check", template, language="cy", **{"value-0": ""})

    assert page.context["form"].errors == {"value-0": ["Enter a value for enw."]}


def test_a_message_that_was_checked_in_another_language_is_not_sent(browser: Client, template: Template) -> None:
    page = press(browser, "check", template)
    fields = {"nonce": page.context["nonce"], "checked": page.context["fingerprint"]}
    answer = press(browser, "send", template, language="cy", **fields)

    assert "The message has changed since you checked it." in text_of(answer)
    assert not Notification.objects.exists()


@pytest.mark.parametrize(("asked", "used"), [("cy-GB", "Welsh (cy)"), ("fr", "English (en)"), ("<x>", "English (en)")])
def test_other_languages_follow_the_rule_of_the_api(browser: Client, template: Template, asked: str, used: str) -> None:
    page = press(browser, "check", template, language=asked)

    assert chosen(page) == [used]
    assert ("Croeso" in page.content.decode()) == (used == "Welsh (cy)")


def upload(browser: Client, template: Template, language: str) -> BulkSend:
    url = f"{BULK}add/?template={template.pk}&language={language}"
    file = SimpleUploadedFile("people.csv", WELSH_TABLE.encode())
    browser.post(url, {"nonce": browser.get(url).context["nonce"], "file": file})
    return BulkSend.objects.latest("created_at")


def test_the_upload_page_shows_the_columns_of_the_language(browser: Client, template: Template) -> None:
    first = browser.get(f"{BULK}add/", {"template": template.pk})
    welsh = browser.get(f"{BULK}add/", {"template": template.pk, "language": "cy"})
    example = browser.get(f"{BULK}example/", {"template": template.pk, "language": "cy"})

    assert (chosen(first), first.context["needs"]) == (["English (en)"], ["email address", "name", "day"])
    assert (chosen(welsh), welsh.context["needs"]) == (["Welsh (cy)"], ["email address", "enw", "day"])
    assert f'example/?template={template.pk}&amp;language=cy"' in welsh.content.decode()
    assert b"email address,enw,day" in example.getvalue()


def test_a_bulk_send_is_checked_and_sent_in_the_chosen_language(browser: Client, template: Template) -> None:
    bulk_send = upload(browser, template, "cy")
    columns = browser.get(f"{BULK}{bulk_send.pk}/columns/")
    guessed = {field.html_name: field.value() or "" for field in columns.context["form"]}
    page = browser.post(f"{BULK}{bulk_send.pk}/columns/", guessed, follow=True)
    done = send(browser, bulk_send, page)
    steps.take_next()

    assert f"template={template.pk}&language=cy" in columns.context["upload_url"]
    assert "Welsh (cy)" in text_of(columns)
    assert "Language Welsh (cy)" in text_of(page)
    assert "Annwyl" in page.content.decode()
    assert "Language Welsh (cy)" in text_of(done)
    assert [(row.language, row.body) for row in Notification.objects.all()] == [("cy", "Annwyl Ana, diolch Llun.")]


def test_the_columns_of_another_language_are_missing(browser: Client, template: Template) -> None:
    bulk_send = upload(browser, template, "en")
    columns = browser.get(f"{BULK}{bulk_send.pk}/columns/")

    assert bulk_send.language == ""
    assert "No column has the name “name”." in text_of(columns)


def test_a_template_of_another_service_does_not_exist_in_any_language(template: Template) -> None:
    stranger = colleague(factories.make_service(), Role.SEND_MESSAGES)

    for path in (SEND, f"{BULK}add/"):
        assert stranger.get(path, {"template": template.pk, "language": "cy"}).status_code == 404


def test_people_who_may_not_send_get_no_choice(service: Service, template: Template) -> None:
    reader = colleague(service, Role.SEE_ACTIVITY, name="kim")

    for path in (SEND, f"{BULK}add/"):
        assert reader.get(path, {"template": template.pk, "language": "cy"}).status_code == 403
