"""Row forms and other forms draw their fields alike."""

import re

import pytest
from django.contrib import admin
from django.urls import reverse

from tests import factories
from tests.config.console import markup
from tests.config.console.test_every_page import NAMES, REGISTERED


def test_required_fields_are_marked_on_every_form(console):
    service = factories.make_service()

    page = console.get(reverse("admin:notifications_service_limits", args=[service.pk])).content.decode()

    label = re.search(r'<label class="sb-label" for="id_reason">(.*?)</label>', page, re.DOTALL)[1]
    assert label == 'Reason<span class="sb-required" aria-hidden="true">*</span>'


def test_fields_that_may_stay_empty_are_not_marked(console):
    service = factories.make_service()

    page = console.get(reverse("admin:notifications_service_file-page", args=[service.pk])).content.decode()

    assert "sb-required" not in page


def test_an_empty_choice_names_the_kind_of_row(console):
    factories.make_service(name="Tides")
    factories.make_service(name="Ferries")

    page = console.get(reverse("admin:notifications_smssender_add")).content.decode()

    assert "Select a service" in page


@pytest.mark.parametrize("page", ["datasets_dataset_add", "notifications_replytoaddress_add", "auth_user_add"])
def test_a_boolean_is_a_checkbox_everywhere(console, page):
    factories.make_service()

    form = console.get(reverse(f"admin:{page}")).context["adminform"].form

    boxes = [field.widget for field in form.fields.values() if getattr(field.widget, "input_type", "") == "checkbox"]
    assert not any("switch" in type(box).__name__.lower() for box in boxes)


def test_an_invalid_field_is_marked_visually_and_for_screen_readers(console):
    service = factories.make_service()
    place = reverse("admin:notifications_service_limits", args=[service.pk])

    page = console.post(place, {"rate_limit_per_minute": 5}).content.decode()

    assert re.search(r'<input[^>]*name="reason"[^>]*aria-invalid="true"', page)


def test_a_field_that_is_only_shown_has_no_help_to_enter_it(console):
    sender = factories.make_sms_sender(factories.make_service())
    help_text = "3 to 11 letters"

    assert help_text in console.get(reverse("admin:notifications_smssender_add")).content.decode()
    shown = console.get(reverse("admin:notifications_smssender_change", args=[sender.pk])).content.decode()
    assert help_text not in shown
    member = factories.make_team_member(factories.make_service())
    page = console.get(reverse("admin:notifications_teammember_change", args=[member.pk])).content.decode()
    assert "The service can always send to this address" in page


# One needs an email address or a phone number, the other a template on the page before.
NO_REQUIRED_FIELD = {"notifications.TeamMember", "notifications.BulkSend", "datasets.SavedQuery"}  # asks for its set


@pytest.mark.parametrize("model", [model for model, _ in REGISTERED], ids=NAMES)
def test_a_refused_form_is_usable_with_a_screen_reader(console, rf, operator, model):
    """Hints and errors have the ids that their fields name, and each field with an error is marked."""
    factories.make_service()
    model_admin = admin.site.get_model_admin(model)
    request = rf.get("/admin/")
    request.user = operator
    if not model_admin.has_add_permission(request):
        return

    if model._meta.label in NO_REQUIRED_FIELD:
        return
    nonce = re.search('name="nonce" value="([^"]+)"', console.get(model_admin.url_of("add")).content.decode())

    page = console.post(model_admin.url_of("add"), {"nonce": nonce[1]} if nonce else {}).content.decode()

    assert markup.problems(page) == []
    assert 'aria-invalid="true"' in page
    assert re.search(r'aria-describedby="[^"]*_error', page)
