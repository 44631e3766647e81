"""A button's label is a verb and its object. Source: docs/reference/console.md §1.1."""

import re

import pytest
from django.contrib import admin
from django.urls import reverse

from datasets.models import DataGroup
from notifications.models import Permission
from tests import factories

REGISTERED = sorted(admin.site._registry.items(), key=lambda item: item[0]._meta.label)
NAMES = [model._meta.label for model, _ in REGISTERED]


def buttons_of(page: str) -> list[str]:
    found = re.findall(
        r'<(?:button|a)\b[^>]*class="[^"]*\bsb-button\b[^"]*"[^>]*>(.*?)</(?:button|a)>', page, re.DOTALL
    )
    return [" ".join(re.sub(r"<[^>]+>", " ", one).split()) for one in found]


@pytest.mark.parametrize(("model", "model_admin"), REGISTERED, ids=NAMES)
def test_buttons_of_list_and_form_name_the_new_row(console, rf, operator, model, model_admin):
    factories.make_service()
    request = rf.get("/admin/")
    request.user = operator
    label = model_admin.add_title()

    shown = buttons_of(console.get(model_admin.list_url()).content.decode())

    if not model_admin.has_add_permission(request):
        assert label not in shown
        return
    assert label in shown
    assert re.fullmatch("(Add|Create|Issue|Stop) .+", label)
    form = buttons_of(console.get(model_admin.url_of("add")).content.decode())
    assert form.count(label) <= 1  # not also the button of the list, which opens this form
    assert not {"Save", "Add"} & set(form)


@pytest.mark.parametrize("section", ["general", "email", "file-page", "texts", "quiet-hours", "api", "limits"])
def test_the_button_of_a_section_names_what_it_saves(console, section):
    service = factories.make_service(permissions=[Permission.EMAIL, Permission.SMS])

    page = console.get(reverse(f"admin:notifications_service_{section}", args=[service.pk])).content.decode()

    assert any(re.fullmatch("Save ([a-z]|API).+", label) for label in buttons_of(page))


def test_a_save_stays_on_the_page_of_the_row(console):
    group = {"name": "tides", "description": "High and low water"}
    console.post(reverse("admin:datasets_datagroup_add"), group)
    place = re.search(
        r"/admin/datasets/datagroup/\d+/change/", console.get("/admin/datasets/datagroup/").content.decode()
    )[0]
    opened = re.search(r'name="started_from" value="([^"]+)"', console.get(place).content.decode())

    answer = console.post(place, {**group, "description": "Water", **({"started_from": opened[1]} if opened else {})})

    assert answer["Location"] == place


def test_destructive_actions_are_above_the_form(console):
    console.post(reverse("admin:datasets_datagroup_add"), {"name": "tides", "description": ""})
    place = re.search(r"/admin/datasets/datagroup/\d+/", console.get("/admin/datasets/datagroup/").content.decode())[0]

    page = console.get(f"{place}change/").content.decode()

    assert page.index(f'href="{place}delete/">Delete…</a>') < page.index('id="datagroup_form"')


def test_the_message_after_a_deletion_names_the_row(console):
    group = DataGroup.objects.create(name="tides")

    done = console.post(reverse("admin:datasets_datagroup_delete", args=[group.pk]), {"post": "yes"}, follow=True)

    assert "Group “tides” is deleted." in done.content.decode()
    assert not DataGroup.objects.exists()
