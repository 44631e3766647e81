"""The template editor: example values, versions, and a preview that equals the sent message."""

import html
import re

import pytest
from django.urls import reverse

from notifications.models import Channel, KeyType, Role, Template
from notifications.submission import ttl_cache
from tests import factories
from tests.notifications.calling import make_caller
from tests.notifications.draining import drain_messages
from tests.people import colleague

PREVIEW = "/admin/notifications/template/preview/"
NO_VERSIONS = {"versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}
TEXT = (
    "# Dear ((name))\n\nBring:\n\n((things))\n\n((late??You are late.)) See example.gov and [us](https://example.org)."
)
SAMPLES = {
    "kind-name": "text",
    "sample-name": "Jo <b> & co",
    "kind-things": "list",
    "sample-things": "rope\r\nbait",
    "kind-late": "yes",
    "sample-late": "",
}


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service):
    return factories.make_template(service, content=TEXT, subject="For ((name))", name="Welcome")


def page_of(template, page="change"):
    return reverse(f"admin:notifications_template_{page}", args=[template.pk])


def save(client, template, **fields):
    values = {"name": "Welcome", "subject": "For ((name))", "content": TEXT, "note": "", "based_on": 1}
    return client.post(page_of(template), {**values, **NO_VERSIONS, **fields}, follow=True)


def preview(client, **typed):
    return client.post(PREVIEW, typed, headers={"X-Requested-With": "fetch"}).content.decode()


def document_of(page):
    """Return the email in a pane as it is sent, without the frame's policy."""
    document = html.unescape(re.search(r'srcdoc="([^"]*)"', page)[1])
    return re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", document)


def text(part):
    return part.get_content().replace("\r\n", "\n").rstrip("\n")


def test_example_values_are_stored_without_a_new_version(console, template):
    page = save(console, template, **SAMPLES).content.decode()

    template.refresh_from_db()
    assert template.samples == {
        "name": {"kind": "text", "value": "Jo <b> & co"},
        "things": {"kind": "list", "value": "rope\nbait"},
        "late": {"kind": "yes", "value": ""},
    }
    assert template.current_version == 1
    assert "It is still version 1" in page
    shown = console.get(page_of(template)).content.decode()
    assert "For Jo &lt;b&gt; &amp; co" in shown  # also without scripts


def test_example_values_of_a_new_template_are_stored(console, service):
    values = {"service": str(service.pk), "type": "sms", "name": "Gate", "content": "Code ((code))", "note": ""}

    console.post("/admin/notifications/template/add/", {**values, "kind-code": "text", "sample-code": "42\0"})

    assert Template.objects.get().samples == {"code": {"kind": "text", "value": "42"}}


def test_a_placeholder_keeps_its_example_value_in_another_spelling(console, template):
    save(console, template, **SAMPLES)

    assert "For Jo" in preview(console, template=template.pk, subject="For ((NAME))", content="Hi")


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("text", "one\ntwo", "one"),
        ("list", "one\n\n two ", "two</li>"),
        ("yes", "", "You are late."),
        ("fax", "yes", "You are late."),  # an unknown kind counts as text
    ],
)
def test_an_example_value_is_previewed_like_a_callers_value(console, template, kind, value, shown):
    typed = {"kind-late": kind, "sample-late": value}

    page = preview(console, template=template.pk, subject="S", content="((late)) ((late??You are late.))", **typed)

    assert shown in html.unescape(page)


def test_a_condition_that_is_off_is_left_out(console, template):
    page = preview(
        console, template=template.pk, subject="S", content="Hi ((late??You are late.))", **{"kind-late": "no"}
    )

    assert "You are late." not in document_of(page)


def test_a_file_is_shown_as_its_link(console, template):
    typed = {"kind-form": "file", "content": "[The form](((form)))", "subject": "S"}

    page = preview(console, template=template.pk, **typed)

    assert f"/services/{template.service_id}/documents/" in document_of(page)
    assert "does not begin with https" not in page


def test_a_text_message_has_no_files(console, service):
    typed = {"service": service.pk, "type": "sms", "content": "Code ((code))", "kind-code": "file"}

    assert "A file" not in preview(console, **typed)


def test_the_editor_equals_the_preview_of_the_api_and_the_sent_email(console, settings, smtp_sink):
    settings.PROVIDERS = [f"mail={smtp_sink.url}"]
    settings.EMAIL_UNLINKED_NAMES = ["example.gov"]
    caller = make_caller(name="Tides")
    template = factories.make_template(caller.service, content=TEXT, subject="For ((name))", unsubscribe_link=False)
    values = {"name": "Jo <b> & co", "things": ["rope", "bait"], "late": "yes"}

    page = preview(console, template=template.pk, subject="For ((name))", content=TEXT, **SAMPLES)
    told = caller.post(f"/v2/template/{template.pk}/preview", {"personalisation": values}).json()
    answer = caller.send_email(template, personalisation=values)
    drain_messages()

    plain, document = smtp_sink.wait_for_message().iter_parts()
    assert document_of(page).rstrip("\n") == text(document)
    assert told["html"] in document_of(page)
    assert told["subject"] == html.unescape(re.search(r'<p class="nf-subject">(.*?)</p>', page)[1])
    assert told["body"] == answer.json()["content"]["body"]
    assert (
        html.unescape(re.search(r'<pre class="sb-code" tabindex="0">(.*?)</pre>', page, re.DOTALL)[1]).strip()
        == text(plain).strip()
    )


def test_the_preview_of_a_text_message_equals_the_sent_one(console):
    caller = make_caller(name="Tides")
    template = factories.make_template(caller.service, Channel.SMS, content="Tide ((hour)) ŵ")
    typed = {"template": template.pk, "content": "Tide ((hour)) ŵ", "kind-hour": "text", "sample-hour": "at 9"}

    page = preview(console, **typed)
    sent = caller.send_sms(template, personalisation={"hour": "at 9"}).json()["content"]["body"]

    assert f'<div class="nf-bubble">{html.escape(sent)}</div>' in page
    assert "Use w instead of ŵ." in page


def test_a_missing_unsubscribe_link_is_a_warning(console, template):
    warning = "Callers send a one-click unsubscribe URL"
    typed = {"template": template.pk, "subject": "S", "content": "Hi"}
    assert warning not in preview(console, **typed)

    factories.make_notification(template, one_click_unsubscribe_url="https://example.org/u")

    assert warning in preview(console, **typed)
    assert warning not in preview(console, **typed, unsubscribe_link="on")


def test_versions_show_author_time_note_and_messages(console, template):
    save(console, template, content="Dear all", note="shorter")
    factories.make_notification(template, template_version=1)
    factories.make_notification(template, template_version=1, key_type=KeyType.TEST)

    page = console.get(page_of(template)).content.decode()
    cells = re.findall(r"field-(messages|change_note|author)[^>]*>\s*(?:<[^>]+>\s*)*([^<]+?)\s*<", page)

    assert ("change_note", "shorter") in cells
    assert ("author", "mina@example.org") in cells
    assert [value for name, value in cells if name == "messages" and value.isdigit()] == ["0", "1"]


def test_an_old_version_is_shown_like_in_the_editor(console, template):
    save(console, template, content="Dear all", **SAMPLES)

    page = console.get(page_of(template, "version"), {"number": 1}).content.decode()

    assert '<iframe class="nf-email" sandbox srcdoc=' in page
    assert "Bring:" in document_of(page)
    assert "Version 1" in page


@pytest.mark.parametrize("number", ["", "0", "9", "x", "²", "9" * 30])
def test_an_unknown_version_is_not_found(console, template, number):
    assert console.get(page_of(template, "version"), {"number": number}).status_code == 404


def test_the_page_links_to_a_test_and_has_an_example_call(console, template):
    page = console.get(page_of(template)).content.decode()

    assert f'href="/admin/notifications/notification/send/?template={template.pk}"' in page
    assert "paste-a-test-key-here" in page
    assert f'value="{template.pk}" aria-label="Template ID"' in page


def test_the_role_to_see_activity_reads_text_and_versions(service, template):
    client = colleague(service, Role.SEE_ACTIVITY)

    page = client.get(page_of(template)).content.decode()

    assert "((things))" in page
    assert 'sandbox srcdoc="' in page
    assert ">Send a message</a>" not in page
    assert "data-preview=" not in page
    assert client.get(page_of(template, "version"), {"number": 1}).status_code == 200
    assert client.post(page_of(template, "archive"), {"seen": "on"}).status_code == 403


@pytest.mark.parametrize("page", ["change", "version", "archive", "restore", "history"])
def test_a_template_of_another_service_does_not_exist(template, page):
    client = colleague(factories.make_service(), Role.EDIT_TEMPLATES, Role.SEE_ACTIVITY)

    assert client.get(page_of(template, page), {"number": 1}).status_code == 404


def test_the_editor_needs_a_role(service, template):
    client = colleague(service, Role.MANAGE_API)

    assert client.get(page_of(template)).status_code == 403
    assert client.get(page_of(template, "version"), {"number": 1}).status_code == 403
    assert client.post(PREVIEW, {"template": template.pk, "content": "Hi"}).status_code == 403


def test_saving_again_after_both_were_shown_is_the_next_version(console, template):
    save(console, template, content="Theirs")
    ttl_cache.clear()

    seen = save(console, template, content="Mine", based_on=1).content.decode()
    again = save(console, template, content="Mine", based_on=re.search(r'name="based_on" value="(\d+)"', seen)[1])

    assert "Saved as version 3. Messages sent from now on use it." in again.content.decode()


def test_a_condition_is_previewed_with_yes_by_default(console, template):
    page = preview(console, template=template.pk, subject="S", content="Hi ((child??Bring your child.)) ((name))")

    assert "Bring your child." in document_of(page)
    assert '<option value="yes" selected>' in page
    assert '<option value="text" selected>' in page  # for the name


def test_placeholders_without_a_value_are_marked_in_the_preview(console, template, service):
    page = preview(console, template=template.pk, subject="For ((who))", content="Dear ((who)), see [((a))](((b)))")
    bubble = preview(console, service=service.pk, type="sms", content="Code ((code))")

    assert "Dear <mark>((who))</mark>, see " in document_of(page)
    assert "<title>For ((who))</title>" in document_of(page)
    assert "For <mark>((who))</mark></p>" in page
    assert "Code <mark>((code))</mark>" in bubble


def test_the_template_text_shows_a_list_like_the_email(console, template):
    typed = {"kind-things": "list", "sample-things": "rope\nbait"}

    page = preview(console, template=template.pk, subject="((things))", content="Bring ((things))", **typed)

    assert '<pre class="nf-unfilled">rope and bait</pre>' in page
    assert '<pre class="nf-unfilled">Bring \n\n* rope\n* bait</pre>' in page


def test_warnings_are_above_the_preview_and_values_below_the_text(console, template):
    save(console, template, content="((name)) www.example.org/((name))")

    page = console.get(page_of(template)).content.decode()

    assert page.index('name="content"') < page.index("How to write placeholders") < page.index('name="sample-name"')
    assert page.index('aria-label="Preview"') < page.index("does not begin with https://") < page.index("nf-email")


def test_the_help_of_a_text_message_has_no_headings(console, service):
    template = factories.make_template(service, Channel.SMS, content="Code ((code))")

    page = console.get(page_of(template)).content.decode()

    assert "How to write placeholders" in page
    assert "## Heading" not in page


def test_the_tabs_name_the_template_and_its_versions(console, template):
    page = console.get(page_of(template)).content.decode()

    tabs = re.search(r'<nav id="tabs-items".*?</nav>', page, re.DOTALL)[0]
    assert re.findall(r">([^<>]+)</a>", tabs) == ["Template", "Versions"]
    assert ">General<" not in page
    assert page_of(template, "history") not in page


def test_a_saved_template_stays_open(console, service, template):
    values = {"service": str(service.pk), "type": "sms", "name": "Gate", "content": "Code ((code))", "note": ""}

    made = console.post("/admin/notifications/template/add/", values)

    assert made.url == page_of(Template.objects.get(versions__name="Gate"))
    assert save(console, template, content="Changed").redirect_chain == [(page_of(template), 302)]


def test_the_example_call_has_the_stored_example_values(console, template):
    save(console, template, **SAMPLES)

    page = html.unescape(console.get(page_of(template)).content.decode())

    assert '"personalisation": {"name": "Jo <b> & co", "things": ["rope", "bait"], "late": "yes"}' in page


def test_the_page_of_an_email_has_no_help_about_other_types(console, template):
    place = reverse("admin:notifications_template_change", args=[template.pk])

    assert "Emails only." not in console.get(place).content.decode()
    assert "Emails only." in console.get(reverse("admin:notifications_template_add")).content.decode()
