"""Send one message from the console: the checks of the API, a button that states the effect, and never twice."""

import html
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from config.audit.models import AuditEvent
from notifications.admin.messages import send
from notifications.errors import TypeNotSupported
from notifications.models import (
    Attachment,
    Channel,
    DailyCounter,
    LimitKind,
    Notification,
    Role,
    Service,
    Template,
    TemplateVersion,
)
from notifications.submission import ttl_cache
from tests import factories
from tests.people import browser_of, colleague, join, make_person

SEND = "/admin/notifications/notification/send/"
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides", file_contact="help@example.org")


@pytest.fixture
def template(service):
    return factories.make_template(service, content="Dear ((name))", subject="Tide of ((day))", name="Tide table")


@pytest.fixture
def text(service):
    return factories.make_template(service, Channel.SMS, content="Code ((code))", name="Gate code")


@pytest.fixture
def browser(service):
    return colleague(service, Role.SEE_ACTIVITY, Role.SEND_MESSAGES, name="jo")


@pytest.fixture(autouse=True)
def blobs(settings: Any, tmp_path: Path) -> None:
    """Use a separate folder for the files of each test."""
    own = {"BACKEND": "notifications.attachments.folder.BlobFolder", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {**settings.STORAGES, "attachments": own}


def typed(template, **fields):
    values = {
        "template": str(template.pk),
        "recipient": "ana@example.org",
        "kind": "test",
        "sender": "",
        "reference": "r1",
    }
    if template.type == Channel.SMS:
        return {**values, "recipient": "07700 900123", "value-0": "37", **fields}
    return {**values, "value-0": "Monday", "value-1": "Ana", "asks-0": "on", "weeks-0": "26", "weeks-1": "4", **fields}


def hidden(page, name):
    found = re.search(rf'name="{name}" value="([^"]+)"', page.content.decode())
    return found[1] if found else ""


def check(browser, template, **fields):
    return browser.post(SEND, {**typed(template, **fields), "check": "yes"})


def checked(browser, template, **fields):
    """Return the fields that a browser sends when the button on the page of Check is pressed."""
    page = check(browser, template, **fields)
    found = {name: hidden(page, name) for name in ("nonce", "checked")}
    return {**typed(template, **fields), **found, "send": "yes"}


def button(page):
    found = re.search(r'name="send" value="yes">([^<]+)<', page.content.decode())
    return found[1] if found else None


def errors_of(page):
    return {name: list(told) for name, told in page.context["form"].errors.items()}


def test_the_page_starts_with_a_template(browser, template, text):
    page = browser.get(SEND).content.decode()

    assert "<strong>Tide table</strong> (Email)" in page
    assert "<strong>Gate code</strong> (Text message)" in page


def test_without_a_template_the_page_says_where_to_create_one(browser, service):
    page = browser.get(SEND).content.decode()

    assert "No templates yet." in page
    assert reverse("admin:notifications_template_changelist") in page


def test_the_form_warns_against_personal_information_in_the_reference(browser, template):
    page = browser.get(f"{SEND}?template={template.pk}").content.decode()

    assert "All staff can see it. Do not enter personal information." in page


@pytest.mark.parametrize(("lines", "refused"), [(10_000, False), (10_001, True)])
def test_a_list_has_at_most_10000_lines(browser, template, lines, refused):
    page = check(browser, template, **{"value-1": "a\r\n" * lines})

    told = {"value-1": ["Enter at most 10,000 lines."]} if refused else {}
    assert errors_of(page) == told


def test_the_form_has_a_field_for_each_placeholder(browser, template):
    page = browser.get(f"{SEND}?template={template.pk}")

    assert [slot["name"] for slot in page.context["form"].slots()] == ["day", "name"]
    assert re.search(r'value="console-jo-\d{8}T\d{6}Z"', page.content.decode())
    assert button(page) is None


@pytest.fixture
def with_samples(service):
    """Return a template whose example values set the kind of each placeholder."""
    template = factories.make_template(
        service, content="((things)) ((late??Late.)) ((paid)) ((form)) ((new))", subject="For ((name))", name="Known"
    )
    template.samples = {
        "name": {"kind": "text", "value": "Ana of the Harbour"},
        "things": {"kind": "list", "value": "rope"},
        "paid": {"kind": "no", "value": ""},
        "form": {"kind": "file", "value": ""},
    }
    template.save()
    return template


def test_the_field_of_a_placeholder_follows_its_example_value(browser, with_samples):
    page = browser.get(f"{SEND}?template={with_samples.pk}").content.decode()

    names = re.findall(r'name="((?:value|file)-\d)"(?: value="(\w+)")?', page)
    assert names == [
        ("value-0", ""),
        ("value-1", ""),
        ("value-2", "yes"),
        ("value-2", "no"),
        ("value-3", "yes"),
        ("value-3", "no"),
        ("file-4", ""),
        ("value-5", ""),
        ("file-5", ""),
    ]
    assert "For example: Ana of the Harbour" in page
    assert "((" not in page.partition('class="nf-pane"')[0]
    assert page.count("Attach a file") == 1  # the last placeholder has no example value


def test_values_are_sent_by_kind(browser, with_samples):
    values = {"value-0": "Ana\r\nHarbour", "value-1": "rope", "value-2": "yes", "value-3": "no", "value-5": "1\r\n2"}
    file = {"file-4": SimpleUploadedFile("tide.pdf", PDF), "weeks-4": "4"}

    page = check(browser, with_samples, **values, **file)

    assert button(page) == "Send 1 test (nothing is really sent)", errors_of(page)
    shown = html.unescape(page.content.decode())
    assert "For Ana Harbour" in shown
    assert "• rope Late. no http" in shown
    assert "• 1\n• 2" in shown


def test_missing_values_have_plain_errors(browser, with_samples):
    page = check(browser, with_samples, **{"value-0": "Ana", "value-1": "rope"})

    assert errors_of(page) == {
        "value-2": ["Choose yes or no for late."],
        "value-3": ["Choose yes or no for paid."],
        "file-4": ["Choose a file for form."],
        "value-5": ["Enter a value for new."],
    }


def test_a_text_message_has_no_field_for_a_file(browser, service):
    text = factories.make_template(service, Channel.SMS, content="Code ((code))", name="Gate code")
    Template.objects.filter(pk=text.pk).update(samples={"code": {"kind": "file", "value": ""}})

    page = browser.get(f"{SEND}?template={text.pk}").content.decode()

    assert 'name="value-0"' in page
    assert 'type="file"' not in page


def test_templates_are_below_the_name_of_their_service_if_several_are_shown(console, template):
    factories.make_template(factories.make_service(name="Harbour"), Channel.SMS, name="Gate code")

    several = console.get(SEND).content.decode()

    shown = re.findall(r'<h2 class="nf-of">([^<]*)</h2>|<strong>([^<]*)</strong>', several)
    assert shown == [("Harbour", ""), ("", "Gate code"), ("Tides", ""), ("", "Tide table")]
    assert "Tide of ((day))" in several


def test_the_page_is_separate_from_the_log(browser, template):
    page = browser.get(SEND).content.decode()

    crumbs = re.search(r"<h1.*?</h1>", page, re.DOTALL)[0]
    assert "Send a message" in crumbs
    assert "Message log" not in crumbs


def draft(browser, template, **fields):
    page = browser.post(SEND, {"template": str(template.pk), **fields, "draft": "yes"})
    assert page.status_code == 200
    return html.unescape(page.content.decode())


def test_the_page_shows_the_message_before_anything_is_typed(browser, template):
    page = browser.get(f"{SEND}?template={template.pk}")

    shown = html.unescape(page.content.decode())
    assert "Tide of <mark>((day))</mark>" in shown
    assert "Dear <mark>((name))</mark>" in shown
    assert button(page) is None


def test_a_draft_shows_what_is_typed_so_far(browser, template):
    shown = draft(browser, template, **{"value-0": "Monday\r\nTuesday", "value-1": ""})

    assert "Tide of Monday and Tuesday" in shown
    assert "Dear <mark>((name))</mark>" in shown
    assert 'name="send"' not in shown
    assert not Notification.objects.exists()


def test_a_draft_of_a_text_has_its_parts_and_the_chosen_sender(browser, text, service):
    factories.make_sms_sender(service, "TIDES")
    chosen = factories.make_sms_sender(service, "HARBOUR", is_default=False)

    assert "TIDES" in draft(browser, text)
    shown = draft(browser, text, sender=str(chosen.pk), **{"value-0": "37" * 100})
    assert "HARBOUR" in shown
    assert "2 parts" in shown
    assert "TIDES" in draft(browser, text, sender="nonsense")


def test_a_draft_of_another_service_does_not_exist(template):
    stranger = colleague(factories.make_service(), Role.SEND_MESSAGES)

    assert stranger.post(SEND, {"template": str(template.pk), "draft": "yes"}).status_code == 404


def test_check_shows_the_message_and_stores_nothing(browser, template):
    page = check(browser, template)

    shown = page.content.decode()
    assert button(page) == "Send 1 test (nothing is really sent)"
    assert "Tide of Monday" in shown
    assert "Dear Ana" in shown
    assert "tides@signalbox.invalid" in shown
    assert not Notification.objects.exists()


def test_the_button_names_recipient_and_provider(browser, template, text):
    assert button(check(browser, template, kind="real")) == "Send 1 email to a…@example.org (real, provider sandbox)"
    told = button(check(browser, text, kind="real"))
    assert told == "Send 1 text message to 07•••••123 (real, provider sandbox)"


def test_a_test_is_sent_like_by_the_api(browser, template, django_capture_on_commit_callbacks):
    form = checked(browser, template, **{"value-0": "Monday\r\n Tuesday \r\n\r\n"})
    with django_capture_on_commit_callbacks() as told_the_worker:
        answer = browser.post(SEND, form)

    message = Notification.objects.get()
    assert answer["Location"] == reverse("admin:notifications_notification_change", args=[message.pk])
    assert (message.origin, message.created_by, message.api_key) == ("console", "jo@example.org", None)
    assert (message.key_type, message.status, message.reference) == ("test", "created", "r1")
    assert (message.recipient, message.body) == ("ana@example.org", "Dear Ana")
    assert message.subject == "Tide of Monday and Tuesday"
    assert message.template_version == 1
    assert told_the_worker
    assert not DailyCounter.objects.exists()


def test_a_real_message_counts_and_has_the_chosen_sender(browser, text, service):
    factories.make_sms_sender(service, "TIDES")
    chosen = factories.make_sms_sender(service, "HARBOUR", is_default=False)

    browser.post(SEND, checked(browser, text, kind="real", sender=str(chosen.pk)))

    message = Notification.objects.get()
    assert (message.key_type, message.sms_sender, message.body) == ("live", chosen, "Code 37")
    assert DailyCounter.objects.get(kind=LimitKind.SMS).count == 1


@pytest.mark.fault("T7")
def test_sending_is_audited_without_recipient_or_content(browser, template):
    browser.post(SEND, checked(browser, template))

    event = AuditEvent.objects.get(verb="sent")
    assert event.after == {"name": "Tide table", "version": 1, "key_type": "test"}
    assert event.service_id == template.service_id
    assert event.object_id == str(Notification.objects.get().pk)


def test_a_second_click_sends_nothing_and_shows_the_first_message(browser, template):
    form = checked(browser, template)

    first, second = browser.post(SEND, form), browser.post(SEND, form, follow=True)

    assert Notification.objects.count() == 1
    assert second.redirect_chain[0][0] == first["Location"]
    assert "You sent this form twice. Only one message was created." in second.content.decode()


@pytest.mark.parametrize("nonce", ["", "forged"])
def test_a_form_without_a_valid_nonce_sends_nothing(browser, template, nonce):
    browser.post(SEND, {**checked(browser, template), "nonce": nonce})

    assert not Notification.objects.exists()


@pytest.mark.parametrize(
    "change",
    [{"recipient": "bo@example.org"}, {"value-1": "Bo"}, {"kind": "real"}, {"reference": "r2"}, {"checked": ""}],
)
def test_an_unchecked_message_is_not_sent(browser, template, change):
    page = browser.post(SEND, {**checked(browser, template), **change})

    assert send.CHANGED in page.content.decode()
    assert button(page)
    assert not Notification.objects.exists()


def test_a_template_that_changed_meanwhile_is_shown_again(browser, template):
    form = checked(browser, template)
    TemplateVersion.objects.create(
        template=template, number=2, name="Tide table", subject="New ((day))", content="((name))!"
    )
    Template.objects.filter(pk=template.pk).update(current_version=2)

    page = browser.post(SEND, form)

    assert send.CHANGED in page.content.decode()
    assert "New Monday" in page.content.decode()


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"recipient": "no address"}, "recipient", "Enter a valid email address, like name@example.com."),
        ({"recipient": ""}, "recipient", "Enter an email address."),
        ({"value-1": ""}, "value-1", "Enter a value for name."),
        ({"reference": "x" * 1001}, "reference", "Enter a reference of at most 1"),
        (
            {"value-1": "x" * 2_000_001},
            "__all__",
            "Your message is too long. Emails cannot be longer than 2000000 bytes.",
        ),
        ({"sender": "6f1f1f1c-0000-4000-8000-000000000000"}, "sender", "Select a valid choice."),
        ({"kind": "maybe"}, "kind", "Select a valid choice."),
    ],
)
def test_errors_of_an_email_are_shown_beside_their_field(browser, template, fields, field, words):
    page = check(browser, template, **fields)

    assert page.status_code == 422
    assert errors_of(page)[field][0].startswith(words)
    assert "Nothing was sent." in page.content.decode()


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"recipient": "0770"}, "recipient", "Not enough digits."),
        ({"recipient": ""}, "recipient", "Enter a phone number."),
        ({"value-0": ""}, "value-0", "Enter a value for code."),
        ({"value-0": "x" * 919}, "__all__", "Your message is too long. Text messages cannot be longer than 918"),
    ],
)
def test_errors_of_a_text_message_are_shown_beside_their_field(browser, text, fields, field, words):
    assert errors_of(check(browser, text, **fields))[field][0].startswith(words)


def test_an_international_number_needs_the_permission(browser, text, service):
    Service.objects.update(permissions=["sms"])

    page = check(browser, text, recipient="+1 202 555 0104")

    assert errors_of(page) == {"recipient": ["Cannot send to international mobile numbers"]}


def test_a_service_in_trial_reaches_its_team_and_guest_list_only(browser, template, service):
    Service.objects.update(live=False)
    factories.make_guest(service, "guest@example.com")

    refused = check(browser, template, kind="real")

    words = "This service is in trial. Ask a manager to add this person to the guest list or team first."
    assert errors_of(refused)["recipient"] == [words]
    assert button(check(browser, template, kind="real", recipient="GUEST@example.com"))
    assert button(check(browser, template, kind="test"))


@pytest.mark.parametrize(
    ("role", "pages"),
    [(Role.MANAGE_API, {"guest list": "guestlistentry"}), (Role.MANAGE_SERVICE, {"team": "teammember"})],
)
def test_the_error_of_a_service_in_trial_links_to_permitted_pages(service, template, role, pages):
    Service.objects.update(live=False)
    browser = colleague(service, Role.SEND_MESSAGES, role)

    page = check(browser, template, kind="real").content.decode()

    [found] = re.findall(r'<p class="sb-error">(This service is in trial: .*?)</p>', page)
    links = {title: reverse(f"admin:notifications_{model}_changelist") for title, model in pages.items()}
    assert {title: link for link, title in re.findall(r'href="([^"]+)">([^<]+)</a>', found)} == links
    assert all(browser.get(link).status_code == 200 for link in links.values())


def test_a_channel_that_is_off_is_rejected(browser, template):
    Service.objects.update(permissions=["sms"])

    assert errors_of(check(browser, template)) == {"__all__": ["Service is not allowed to send emails"]}


def test_an_archived_template_is_rejected(browser, template):
    Template.objects.update(archived_at=timezone.now())

    assert errors_of(check(browser, template)) == {"__all__": ["Template has been deleted"]}


def test_the_daily_limit_applies_to_the_console_too(browser, template):
    Service.objects.update(daily_limit_email=1)
    browser.post(SEND, checked(browser, template, kind="real"))
    ttl_cache.clear()

    page = check(browser, template, kind="real", reference="r2")

    assert errors_of(page) == {"__all__": ["Exceeded send limits (email: 1) for today"]}
    assert Notification.objects.count() == 1


def test_a_message_for_a_simulated_recipient_is_checked_and_not_stored(browser, template):
    form = checked(browser, template, recipient="simulate-delivered@notifications.service.gov.uk")

    page = browser.post(SEND, form, follow=True)

    assert "Nothing is stored or sent for a simulated recipient." in page.content.decode()
    assert not Notification.objects.exists()


def test_a_file_can_be_a_value(browser, template):
    def file():
        return SimpleUploadedFile("tide.pdf", PDF, "application/pdf")

    page = check(browser, template, **{"value-1": "", "file-1": file()})
    assert button(page) == "Send 1 test (nothing is really sent)"
    assert "Choose each file again before you send" in page.content.decode()
    found = {name: hidden(page, name) for name in ("nonce", "checked")}
    browser.post(SEND, {**typed(template, **{"value-1": "", "file-1": file()}), **found, "send": "yes"})

    message, kept = Notification.objects.get(), Attachment.objects.get()
    assert (kept.notification_id, kept.name, kept.asks_for_email_address) == (message.pk, "tide.pdf", False)
    assert (kept.expires_at - kept.created_at).days in {28, 29}
    assert "key=" not in message.body


def test_an_unchecked_file_is_not_sent(browser, template):
    page = check(browser, template, **{"file-1": SimpleUploadedFile("tide.pdf", PDF)})
    found = {name: hidden(page, name) for name in ("nonce", "checked")}
    other = SimpleUploadedFile("tide.pdf", PDF + b"%")

    answer = browser.post(SEND, {**typed(template, **{"file-1": other}), **found, "send": "yes"})

    assert send.CHANGED in answer.content.decode()
    assert not Notification.objects.exists()


@pytest.mark.parametrize(
    ("name", "data", "more", "words"),
    [
        ("tide.exe", b"MZ", {}, TypeNotSupported(".exe").message),
        ("tide.pdf", b"x" * 2_097_152, {}, "Uploaded file exceeds file size limit"),
        ("tide", PDF, {}, "filename `filename` must end with a file extension."),
    ],
)
def test_errors_of_a_file_are_shown_beside_it(browser, template, name, data, more, words):
    page = check(browser, template, **{"file-1": SimpleUploadedFile(name, data), **more})

    assert errors_of(page)["file-1"][0].startswith(words)


@pytest.mark.parametrize("weeks", ["79", "0", "two"])
def test_weeks_out_of_range_are_rejected_beside_the_file(browser, template, weeks):
    page = check(browser, template, **{"file-1": SimpleUploadedFile("tide.pdf", PDF), "weeks-1": weeks})

    assert errors_of(page) == {"weeks-1": ["Enter a number of weeks from 1 to 78."]}


def test_files_need_a_contact(browser, template):
    Service.objects.update(file_contact="")

    page = check(browser, template, **{"file-1": SimpleUploadedFile("tide.pdf", PDF)})

    assert errors_of(page)["file-1"][0].startswith("Send files by email has not been set up")


def test_the_buttons_fill_in_the_recipient_and_keep_other_fields(service, template, text):
    person = make_person("jo")
    member = join(person, service, Role.SEE_RECIPIENTS, Role.SEND_MESSAGES)
    guest = factories.make_guest(service, "guest@example.com")
    browser = browser_of(person)

    me = browser.post(SEND, {**typed(template), "use": "me"})
    theirs = browser.post(SEND, {**typed(template), "use": str(guest.pk)})
    nobody = browser.post(SEND, {**typed(template), "use": "6f1f1f1c-0000-4000-8000-000000000000"})

    assert f'value="{member.email_address}"' in me.content.decode()
    assert 'name="recipient" value="guest@example.com"' in theirs.content.decode()
    assert 'name="recipient" value="ana@example.org"' in nobody.content.decode()
    assert me.context["form"]["value-1"].value() == "Ana"
    assert [me.context["form"][f"asks-{n}"].value() for n in (0, 1)] == [True, False]
    assert not Notification.objects.exists()


def test_the_guest_list_needs_the_permission_to_see_recipients(browser, service, template):
    guest = factories.make_guest(service, "guest@example.com")

    page = browser.post(SEND, {**typed(template), "use": str(guest.pk)}).content.decode()

    assert "guest@example.com" not in page


def test_scripts_in_names_and_values_stay_text(browser, service):
    template = factories.make_template(service, content='((<img src=x onerror="alert1">))', subject="S")

    page = browser.post(SEND, {**typed(template), "value-0": "<script>alert(1)</script>", "check": "yes"})

    assert "<img src=x" not in page.content.decode()
    assert "<script>alert" not in page.content.decode()
    drawn = browser.post(SEND, {"template": str(template.pk), "value-0": "<script>alert(1)</script>", "draft": "yes"})
    assert "<script>alert" not in drawn.content.decode()


@pytest.mark.parametrize("roles", [[], [Role.SEE_ACTIVITY], [Role.MANAGE_SERVICE, Role.EDIT_TEMPLATES]])
def test_sending_needs_the_role(service, template, roles):
    browser = colleague(service, *roles)

    for answer in (browser.get(SEND), browser.get(f"{SEND}?template={template.pk}"), check(browser, template)):
        assert answer.status_code == 403
    assert SEND not in browser.get("/admin/").content.decode()


def test_another_services_template_does_not_exist(template):
    stranger = colleague(factories.make_service(), Role.SEND_MESSAGES)

    assert stranger.get(f"{SEND}?template={template.pk}").status_code == 404
    assert check(stranger, template).status_code == 404
    assert stranger.get(f"{SEND}?template=nonsense").status_code == 404
    assert "Tide table" not in stranger.get(SEND).content.decode()
