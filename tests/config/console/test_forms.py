"""Row forms and other forms draw their fields alike."""

import re

import pytest
from django.urls import reverse

from tests import factories


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
