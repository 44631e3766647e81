"""Whole emails: empty ones, the footer, names without links, the document. Source: docs/reference/rendering.md §4."""

import pytest

from notifications.rendering import email, sanitise
from notifications.rendering.document import html_document
from tests.notifications.rendering.normal_form import normal_form


@pytest.mark.parametrize(
    ("content", "value", "is_empty"),
    [
        ("", "x", True),
        (" \n", "x", True),
        ("((a))", "", True),
        ("((a)) ((a))", " ", True),
        ("((a))\n", "", False),
        ("((a))  ", "", False),
        ("((a??text))", "no", True),
        ("((a))", "x", False),
        ("((a)).", "", False),
        ("x((a))", "", False),
    ],
)
def test_an_email_is_empty_only_if_its_template_is_all_placeholders(content: str, value: str, is_empty: bool) -> None:
    assert email.render("", content, {"a": value}).is_empty is is_empty


def test_two_million_bytes_pass_and_one_more_byte_does_not() -> None:
    assert not email.EmailText(subject="", filled="x" * 2_000_000).is_too_long
    assert email.EmailText(subject="", filled="x" * 2_000_001).is_too_long


def test_the_footer_is_in_every_part_but_not_in_the_body_the_api_shows() -> None:
    text = email.render("", "News ((v))", {"v": "((w))"}, unsubscribe_url="https://a.example/unsubscribe/1")

    assert text.body == "News ((w))"
    assert text.plain.endswith("Unsubscribe from these emails: https://a.example/unsubscribe/1\n")
    assert 'href="https://a.example/unsubscribe/1"' in text.html


def test_an_email_can_be_rendered_again_from_its_row() -> None:
    text = email.render("Tides", "  * a\n  * ((b))", {"b": "[x](https://x.example) ((c))"})

    again = email.EmailText(subject=text.subject, filled=text.filled)

    assert (again.html, again.plain, again.preheader) == (text.html, text.plain, text.preheader)


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("Quay.example opens", "Quay.\u200bexample opens\n"),
        ("see quay.example.", "see quay.\u200bexample.\n"),
        ("see quay.example/map", "see quay.example/map\n"),
        ("see quay.examples", "see quay.examples\n"),
        ("https://quay.example", "https://quay.example\n"),
        ("# a\n\n###quay.example", "a\n" + "=" * 65 + "\n\nquay.\u200bexample\n"),
        ("a\r\n *quay.example", "a\n*quay.\u200bexample\n"),
        ("^quay.example", "quay.\u200bexample\n"),
        ("^-quay.example", "• quay.\u200bexample\n"),
        ("12.quay.example", "1. quay.\u200bexample\n"),
        ("a#quay.example -quay.example", "a#quay.example -quay.example\n"),
    ],
)
def test_names_of_the_setting_are_not_linked(source: str, plain: str) -> None:
    text = email.render("", source, {}, unlinked_names=["quay.example"])

    assert text.plain == plain


def test_the_document_has_title_preheader_and_fragment() -> None:
    text = email.EmailText(subject="Fish & chips", filled="# Tides\n\nHigh water at noon.")

    document = html_document(text)

    assert document.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert "<title>Fish &amp; chips</title>" in document
    assert document.index("Tides High water at noon.…</span>") < document.index("<table")
    assert text.html in document


def test_outlook_for_windows_gets_a_table_of_a_fixed_width() -> None:
    """Its Word engine ignores `max-width` and reads conditional comments."""
    document = html_document(email.EmailText(subject="", filled="Hello"))

    start = '<!--[if mso]><table role="presentation" width="580"'
    end = "</td></tr></table><![endif]-->"
    assert document.index(start) < document.index("max-width:580px") < document.rindex("Hello") < document.index(end)
    assert document.count("<!--[if mso]>") == document.count("<![endif]-->") == 2


def test_a_subject_keeps_escaped_characters() -> None:
    assert email.render_subject(r"5\-6 \"x\" C:\temp", {}) == r'5-6 "x" C:\temp'


def test_a_sanitised_dash_looks_like_any_other_in_a_body_and_is_as_typed_in_a_subject() -> None:
    value = "Fern - Quay"

    assert email.render_subject("((v))", {"v": sanitise.value(value)}) == "Fern - Quay"
    assert email.render("", "((v))", {"v": sanitise.value(value)}).plain == "Fern – Quay\n"


@pytest.mark.parametrize("value", ["", "  ", [], [None, " "]])
@pytest.mark.parametrize("heading", ["# ((x))", "## ((x)) ##", "# ((x??Title))", "#((x))"])
def test_a_heading_disappears_when_its_value_is_empty(heading: str, value: object) -> None:
    text = email.render("", f"Dear reader,\n{heading}\nGoodbye", {"x": value})

    assert normal_form(text.html) == "<p>Dear reader,</p><p>Goodbye</p>"
    assert text.plain == "Dear reader,\n\nGoodbye\n"


@pytest.mark.parametrize("value", ["", "  ", [], [None, " "]])
@pytest.mark.parametrize("heading", ["((x))\n===", "((x??Title))\n======", "\n^ ((x))\n^ ====="])
@pytest.mark.parametrize("before", ["", "Dear reader,\n", "Dear reader,\n\n"])
def test_an_underlined_heading_disappears_when_its_value_is_empty(before: str, heading: str, value: object) -> None:
    text = email.render("", f"{before}{heading}\n\nGoodbye", {"x": value})

    dear = "<p>Dear reader,</p>" if before else ""
    assert normal_form(text.html) == f"{dear}<p>Goodbye</p>"
    assert "=" not in text.plain


def test_underlines_below_other_text_stay() -> None:
    assert normal_form(email.render("", "# Title\n===", {}).html) == "<h2>Title</h2><p>===</p>"
    assert normal_form(email.render("", "5\n\n=\n\n5", {}).html) == "<p>5</p><p>=</p><p>5</p>"


def test_the_quote_of_an_email_address_is_straight_in_a_subject() -> None:
    assert email.render_subject("Mail first.o’last@example.com, it's Jo’s", {}) == (
        "Mail first.o'last@example.com, it’s Jo’s"
    )
