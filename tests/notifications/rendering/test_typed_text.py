"""Typed text that no rule gives a meaning is in the email. Source: docs/reference/rendering.md §4.3."""

import itertools
import re

import pytest

from notifications.rendering import email
from tests.notifications.rendering.normal_form import normal_form

_MARKS = ["#", "^", "*", "-", "•", "=", "3.", "+", "|", "_", ">", "~", "[", "]", "(", ")", "!", "`", " ", "\n"]
_RULE = "=-" * 32 + "="


def _rendered(source: str) -> email.EmailText:
    return email.render("", source, {})


@pytest.mark.parametrize(
    ("source", "html"),
    {
        "an underline below nothing": ("Hello\n\n=====\n\nBye", "<p>Hello</p><p>=====</p><p>Bye</p>"),
        "a hash inside a paragraph": ("Hello\n#\nBye", "<p>Hello<br>#<br>Bye</p>"),
        "a hash alone": ("Hello\n\n#\n\nBye", "<p>Hello</p><p>#</p><p>Bye</p>"),
        "hashes with a space between": ("## #", "<p>## #</p>"),
        "a long row of hashes": ("#########", "<p>#########</p>"),
        "a caret alone": ("Hello\n\n^\n\nBye", "<p>Hello</p><p>^</p><p>Bye</p>"),
        "several carets alone": ("^\n\n^\n^\n\nBye", "<p>^<br>^<br>^</p><p>Bye</p>"),
        "a caret in an inset": ("^ ^", "<blockquote><p>^</p></blockquote>"),
        "a hash in an inset": ("^ #", "<blockquote><p>#</p></blockquote>"),
        "a hyphen for none": ("Allergies:\n\n-\n\nBye", "<p>Allergies:</p><p>-</p><p>Bye</p>"),
        "a star": ("*", "<p>*</p>"),
        "a bullet": ("•\nBye", "<p>•<br>Bye</p>"),
        "a number": ("Berth\n\n3.\n\nBye", "<p>Berth</p><p>3.</p><p>Bye</p>"),
        "two stars in a row": ("*\n*", "<p>*<br>*</p>"),
    }.values(),
)
def test_a_line_of_marks_without_text_is_shown_as_typed(source: str, html: str) -> None:
    assert normal_form(_rendered(source).html) == html


def test_an_item_without_text_stays_an_item_beside_one_with_text() -> None:
    assert normal_form(_rendered("* a\n*\n* b").html) == "<ul><li>a</li><li></li><li>b</li></ul>"
    assert normal_form(_rendered("*\n* b").html) == "<ul><li></li><li>b</li></ul>"


@pytest.mark.parametrize("length", [1, 2, 3])
def test_no_combination_of_marks_becomes_nothing(length: int) -> None:
    lost = [
        typed
        for typed in map("".join, itertools.product(_MARKS, repeat=length))
        if typed.strip() and not _is_kept(typed)
    ]

    assert lost == []


def _is_kept(typed: str) -> bool:
    """Return whether typed marks between two paragraphs show: they are text, a rule or an underline."""
    plain = _rendered(f"Hello\n\n{typed}\n\nBye").plain
    between = plain.removeprefix("Hello").removesuffix("Bye\n").strip()
    html = normal_form(_rendered(f"Hello\n\n{typed}\n\nBye").html)
    return bool(between) and html != "<p>Hello</p><p>Bye</p>" and not re.search(r"<(p|h2|h3|li|ul|ol)></\1>", html)


@pytest.mark.parametrize("mark", [mark for mark in _MARKS if mark.strip()])
@pytest.mark.parametrize("form", ["x{}y", "x {} y", "x{}", "x {}", "x\n{}", "x\n{}\ny", "x{0}{0}y"])
def test_marks_inside_running_text_show(mark: str, form: str) -> None:
    text = _rendered(form.format(mark))
    if re.search(r"\n[-=]", form.format(mark)):
        assert "<h" in text.html  # an underline makes its line a heading
    elif form == "x {} y" and mark == "-":
        assert text.plain == "x – y\n"
    else:
        assert text.plain == form.format(mark) + "\n"
        assert re.sub(r"<br>", "\n", normal_form(text.html))[3:-4] == form.format(mark).replace(">", "&gt;")


@pytest.mark.parametrize("content", ["^ ((x))", "^((x))", "^ # ((x))", "# ((x)) ((x))", "#((x))#"])
@pytest.mark.parametrize("value", ["", " ", [], [None, " "]])
def test_marks_without_a_value_disappear(content: str, value: object) -> None:
    text = email.render("", f"Hello\r\n{content}\r\n\r\nBye", {"x": value})

    assert text.plain == "Hello\n\nBye\n"


def test_a_value_that_is_typed_shows() -> None:
    assert email.render("", "# ((x))", {"x": "#"}).plain == "# #\n"
    assert email.render("", "((x))\n\n=====", {"x": ""}).plain == "=====\n"
