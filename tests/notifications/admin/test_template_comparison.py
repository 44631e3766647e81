"""Two versions of a template side by side."""

import re
import time

import pytest
from django.urls import reverse

from notifications.admin.templates import differences
from notifications.models import Channel, Role
from tests import factories
from tests.people import colleague


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service):
    return factories.make_template(service, content="Dear ((name))\n\nBring a rope.", subject="Hello", name="Welcome")


def compare(client, template, **numbers):
    query = {name.removesuffix("_"): number for name, number in numbers.items()}
    return client.get(reverse("admin:notifications_template_compare", args=[template.pk]), query)


def marked(page, tag):
    return re.findall(rf"<{tag}>([^<]*)</{tag}>", page.split("<tbody>")[1])


def test_words_that_differ_are_marked(console, template):
    factories.make_draft(template, "Dear ((first name))\n\nBring a long rope.")

    page = compare(console, template).content.decode()

    assert marked(page, "del") == ["((name))"]
    assert marked(page, "ins") == ["((first name))", "long "]
    assert '<th scope="col">Version 1</th><th scope="col">Version 2</th>' in page


def test_every_part_of_an_email_is_compared(console, template):
    words = {**template.published().words(), "name": "Greeting", "subject": "Hello you", "unsubscribe_link": True}
    template.save_draft(words, note="", author="")

    page = compare(console, template).content.decode()

    assert marked(page, "ins") == ["Greeting", " you", "Yes"]
    assert re.findall(r'<th scope="row"[^>]*>([^<]+)</th>', page) == ["Name", "Subject", "Message", "Unsubscribe link"]


def test_any_two_versions_can_be_chosen(console, template):
    for content in ("one", "two", "three"):
        factories.make_draft(template, content)

    page = compare(console, template, from_=3, to=2).content.decode()

    assert (marked(page, "del"), marked(page, "ins")) == (["two"], ["one"])
    assert '<option value="3" selected>' in page
    assert len(re.findall("<option", page)) == 8


def test_equal_texts_are_reported(console, template):
    template.save_draft(template.published().words(), note="", author="")

    assert "The texts of these versions are equal." in compare(console, template).content.decode()


def test_a_single_version_has_nothing_to_compare_with(console, template):
    assert "Welcome has only version 1." in compare(console, template).content.decode()


def test_the_published_version_is_compared_with_the_published_one_before(console, template):
    template.publish(factories.make_draft(template, "two"))
    factories.make_draft(template, "three")

    page = compare(console, template, to=2).content.decode()

    assert marked(page, "ins") == ["two"]


@pytest.mark.parametrize("numbers", [{"to": "9"}, {"from_": "x"}, {"to": ""}, {"from_": "0"}])
def test_an_unknown_version_is_not_found(console, template, numbers):
    assert compare(console, template, **numbers).status_code == 404


def test_text_is_escaped(console, template):
    factories.make_draft(template, "<script>alert(1)</script>")

    assert "<script>alert(1)" not in compare(console, template).content.decode()


def test_a_text_message_has_no_subject(console, service):
    template = factories.make_template(service, Channel.SMS, content="Code ((code))")
    factories.make_draft(template, "Your code: ((code))")

    page = compare(console, template).content.decode()

    assert "Subject" not in page
    assert "Unsubscribe link" not in page


def test_people_who_see_the_template_may_compare(service, template):
    factories.make_draft(template, "two")

    assert compare(colleague(service, Role.SEE_ACTIVITY), template).status_code == 200
    assert compare(colleague(service, Role.MANAGE_API), template).status_code == 403


def segments(before, after):
    return [
        (
            [(piece.text, piece.is_changed) for piece in one.before],
            [(piece.text, piece.is_changed) for piece in one.after],
        )
        for one in differences.segments(before, after)
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "a"),
        ("a b", "a c b"),
        ("one\ntwo\nthree", "one\n2\nthree"),
        ("x " * 3000, "y " * 3000),
        ("a\n" * 1500, "b"),
    ],
    ids=["empty", "word", "line", "many words", "many lines"],
)
def test_both_texts_are_whole(before, after):
    found = differences.segments(before, after)

    assert "\n".join("".join(piece.text for piece in one.before) for one in found).strip("\n") == before.strip("\n")
    assert "\n".join("".join(piece.text for piece in one.after) for one in found).strip("\n") == after.strip("\n")


def test_a_placeholder_is_one_word():
    assert segments("((a b))", "((a c))") == [([("((a b))", True)], [("((a c))", True)])]


def test_equal_segments_are_not_marked():
    assert segments("a\nb", "a\nc")[0] == ([("a", False)], [("a", False)])


def test_the_largest_texts_are_compared_without_waiting():
    repeated = "x\n" * differences.MAX_LINES
    began = time.process_time()

    differences.segments(repeated[:-2], repeated[2:].replace("x", "y", 400))
    differences.segments("a " * 900_000, "b " * 900_000)

    assert time.process_time() - began < 30  # minutes if it compared word by word
