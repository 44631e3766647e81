"""Templates in several languages in the console: the editor, the comparison, the stop page and the message page."""

import html
import re

import pytest
from django.urls import reverse

from notifications.models import Notification, Template, TemplateUse
from notifications.submission import ttl_cache
from notifications.submission.templates import use_counts
from tests import factories
from tests.notifications.calling import make_caller

NO_VERSIONS = {"versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}
WELSH = {"language-1": "CY", "subject-1": "Shwmae", "content-1": "Annwyl ((name))\r\nDiolch"}
STORED = {"language": "cy", "subject": "Shwmae", "content": "Annwyl ((name))\nDiolch"}


@pytest.fixture
def caller(db):
    use_counts.store_pending()
    TemplateUse.objects.all().delete()
    return make_caller(name="Tides")


@pytest.fixture
def template(caller):
    return factories.make_template(caller.service, content="Dear ((name))", subject="Hello", name="Welcome")


def page_of(template, page="change"):
    return reverse(f"admin:notifications_template_{page}", args=[template.pk])


def save(client, template, **fields):
    values = {"name": "Welcome", "subject": "Hello", "content": "Dear ((name))", "note": "", "language": "en"}
    values |= {"based_on": template.last_number(), **NO_VERSIONS, "_save": ""}
    ttl_cache.clear()
    return html.unescape(client.post(page_of(template), {**values, **fields}, follow=True).content.decode())


def send(caller, template, language, **values):
    ttl_cache.clear()
    status = caller.send_email(template, personalisation=values, language=language).status_code
    use_counts.store_pending()
    return status


def test_the_editor_stores_a_language_and_offers_the_next_one(console, template):
    page = save(console, template, **WELSH)

    assert template.versions.get(number=2).translations == [STORED]
    assert "<summary>Welsh (cy)</summary>" in page
    assert 'name="language-2"' in page
    assert 'title="The email, Welsh (cy)"' in page


def add(client, caller, **fields):
    values = {"service": caller.service.pk, "type": "email", "name": "New", "subject": "Hello", "note": ""}
    url = reverse("admin:notifications_template_add")
    return html.unescape(
        client.post(url, {**values, "content": "Dear ((name))", **fields}, follow=True).content.decode()
    )


def test_the_first_form_takes_a_language(console, caller):
    form = console.get(reverse("admin:notifications_template_add")).content.decode()
    page = add(console, caller, **WELSH)

    assert 'name="content-1"' in form
    assert Template.objects.get().published().translations == [STORED]
    assert 'name="language-2"' in page


def test_a_text_message_leaves_the_subject_of_the_first_form_out(console, caller):
    add(console, caller, type="sms", **WELSH)

    assert Template.objects.get().published().translations == [{**STORED, "subject": None}]


def test_a_wrong_language_on_the_first_form_is_an_error_and_nothing_typed_is_lost(console, caller):
    page = add(console, caller, **{**WELSH, "language-1": "Welsh!"})

    assert "“Welsh!” is not one." in page
    assert "Annwyl ((name))" in page
    assert not Template.objects.exists()


def test_an_unchanged_language_makes_no_version_and_an_emptied_one_is_removed(console, template):
    save(console, template, **WELSH)
    same = save(console, template, **WELSH)
    save(console, template, **{**WELSH, "subject-1": "", "content-1": ""})

    assert "The text has not changed." in same
    assert [version.translations for version in template.versions.order_by("number")] == [[], [STORED], []]


@pytest.mark.parametrize(
    ("fields", "wrong", "error"),
    [
        ({**WELSH, "language-1": "Welsh!"}, "language-1", "“Welsh!” is not one."),
        ({**WELSH, "language-1": "en"}, "language-1", "The language en occurs twice."),
        ({**WELSH, "subject-1": ""}, "subject-1", "Enter a subject."),
        ({**WELSH, "content-1": ""}, "content-1", "Enter the message."),
        ({"language": "?"}, "language", "“?” is not one."),
    ],
)
def test_a_wrong_language_is_an_error_at_its_field_and_nothing_typed_is_lost(console, template, fields, wrong, error):
    page = save(console, template, **fields)

    assert re.search(rf'<li><a href="#id_{wrong}">[^<]+</a>: [^<]*{re.escape(error)}', page)  # in the summary
    field = re.search(rf'<(?:input|textarea)[^>]*name="{wrong}"[^>]*>', page)[0]
    assert 'aria-invalid="true"' in field
    described = re.search(r'aria-describedby="([^"]+)"', field)[1].split()
    texts = [re.search(rf'id="{one}"[^>]*>(.*?)</(?:div|ul|p)>', page, re.DOTALL)[1] for one in described]
    assert any(error in text for text in texts)
    if "-1" in wrong:
        assert re.search(r"<details[^>]* open>\s*<summary>(?!Add a language)", page)
    assert template.versions.count() == 1
    assert ("Annwyl ((name))" in page) == bool(fields.get("content-1"))


def test_a_new_placeholder_in_one_language_stops_the_calls_of_this_language(console, caller, template):
    save(console, template, **WELSH)
    assert [send(caller, template, language, name="Ana") for language in ("en", "cy", "cy-GB")] == [201] * 3

    page = save(console, template, **{**WELSH, "content-1": "Annwyl ((name)) ((enw))"})
    ttl_cache.clear()
    version = template.newest()
    console.post(page_of(template, "publish"), {"version": version.number, "published": 2, "keys": "all"})

    assert "Missing personalisation: enw" in page
    assert [send(caller, template, language, name="Ana") for language in ("en", "cy", "cy-GB")] == [201, 400, 400]


def test_calls_in_each_language_are_counted_apart(caller, template):
    for language in ("en", "cy", "cy"):
        send(caller, template, language, name="Ana")

    assert sorted(TemplateUse.objects.values_list("language", "calls")) == [("cy", 2), ("en", 1)]


def test_versions_are_compared_in_each_language(console, template):
    template.save_draft({**template.published().words(), "translations": [STORED]}, note="", author="")

    page = console.get(page_of(template, "compare")).content.decode()

    assert "Message, Welsh (cy)" in page


def test_the_message_page_shows_the_language(console, caller, template):
    template.versions.update(translations=[STORED])
    send(caller, template, "cy", name="Ana")

    message = Notification.objects.get()
    page = console.get(reverse("admin:notifications_notification_change", args=[message.pk])).content.decode()

    assert "Welsh (cy)" in page
