"""Rules of email bodies without a vector. Source: docs/reference/rendering.md §4.3 to §4.7."""

import pytest

from notifications.rendering import email
from tests.notifications.rendering.normal_form import normal_form

CASES = {
    "an indent of four is an ordinary paragraph": ("    code\n    more", "<p>code<br>more</p>"),
    "footnotes and references mean nothing": ("Text[^1]\n\n[^1]: note", "<p>Text[^1]</p><p>[^1]: note</p>"),
    "a doubled mark is no bullet": ("**bold**", "<p>**bold**</p>"),
    "a third level is a paragraph": ("### Small", "<p>Small</p>"),
    "an escaped hash closes no heading": (r"# C\# ##", "<h2>C#</h2>"),
    "an escaped hash ends a heading": (r"# C\#", "<h2>C#</h2>"),
    "an escaped backslash protects nothing": (r"# C\\#", "<h2>C\\</h2>"),
    "a heading ends a paragraph": ("a\n# b", "<p>a</p><h2>b</h2>"),
    "a plus sign begins a paragraph": ("a\n+ b\n+ c", "<p>a</p><p>+ b</p><p>+ c</p>"),
    "a mark without a space does not end a paragraph": ("a\n-b\n1.c", "<p>a<br>-b<br>1.c</p>"),
    "an underline makes a heading of the last line only": ("a\nb\n---", "<p>a</p><h3>b</h3>"),
    "a table ends where the pipes do": ("a|b\n-|-\n1|2\nafter", "<p>after</p>"),
    "a pipe alone is no table": ("|a|\nno", "<p>|a|<br>no</p>"),
    "insets merge over a blank line": ("^ a\n\n^ b", "<blockquote><p>a</p><p>b</p></blockquote>"),
    "the first mark fixes the kind of list": ("* a\n1. b", "<ul><li>a</li><li>b</li></ul>"),
    "one space of indent does not nest": ("* a\n * b", "<ul><li>a</li><li>b</li></ul>"),
    "two blank lines end a list": ("* a\n\n\n* b", "<ul><li>a</li></ul><ul><li>b</li></ul>"),
    "only the items beside a blank line are loose": (
        "* a\n\n* b\n* c",
        "<ul><li><p>a</p></li><li><p>b</p></li><li>c</li></ul>",
    ),
    "an indented line after a blank one stays in its item": (
        "* a\n\n  b",
        "<ul><li><p>a</p><p>b</p></li></ul>",
    ),
    "a rule ends a list": ("* a\n* b\n---", "<ul><li>a</li><li>b</li></ul><hr>"),
    "an escaped bracket makes no link": (r"\[x](y)", "<p>[x](y)</p>"),
    "a link text holds balanced brackets": (
        "[a [b] c](https://x.example)",
        '<p><a href="https://x.example">a [b] c</a></p>',
    ),
    "only lower-case http addresses are linked": (
        "www.x.example a@b.example HTTP://x.example",
        "<p>www.x.example a@b.example HTTP://x.example</p>",
    ),
    "a scheme without a host is text": ("http:// or https://.", "<p>http:// or https://.</p>"),
    "an escape in an address leaves no backslash": (
        r"https://x.example/a\_b",
        '<p><a href="https://x.example/a_b">https://x.example/a_b</a></p>',
    ),
    "references are decoded once": ("&amp;lt; &copy", "<p>&amp;lt; &amp;copy</p>"),
    "an apostrophe after a link closes": (
        "[Fern](https://x.example)'s",
        '<p><a href="https://x.example">Fern</a>’s</p>',
    ),
    "an escaped hyphen between blanks is a dash as any other": (r"a \- b c\-d", "<p>a – b c-d</p>"),
    "a bare address does not end with the mark of bold": (
        "**https://x.example/a**, *https://x.example/.* https://x.example/*b*.",
        '<p>**<a href="https://x.example/a">https://x.example/a</a>**, '
        '*<a href="https://x.example/">https://x.example/</a>.* '
        '<a href="https://x.example/%2Ab%2A">https://x.example/*b*</a>.</p>',
    ),
    "a no-break space alone is a paragraph": ("a\n\n&nbsp;\n\nb", "<p>a</p><p>&nbsp;</p><p>b</p>"),
    "hashes without text are text": ("a\n# \nb\n\n ##\n\n### ##", "<p>a<br>#<br>b</p><p>##</p><p>### ##</p>"),
    "an escaped hash is the text of a heading": (r"# \#", "<h2>#</h2>"),
    "a paragraph of images disappears": ("a\n\n![b](c) ![d](e)\n![f](g)\n\nh", "<p>a</p><p>h</p>"),
    "a heading of an image disappears": ("# ![b](c)\n\n![d](e)\n===\n\nh", "<p>h</p>"),
    "a quote closes after a no-break space": ("'no-break&nbsp;' \"x&nbsp;\"", "<p>‘no-break&nbsp;’ “x&nbsp;”</p>"),
    "a quote opens a word after a no-break space": ("a&nbsp;'b' a&nbsp;\"b\"", "<p>a&nbsp;‘b’ a&nbsp;“b”</p>"),
    "quotes of an email address are straight however typed": (
        "first.o’last@example.com [it’s o‘b@example.com](mailto:o’b@example.com) it's",
        "<p>first.o'last@example.com <a href=\"mailto:o%E2%80%99b@example.com\">it’s o'b@example.com</a> it’s</p>",
    ),
    "a quote on either side of a link": (
        '"[x](https://x.example)"',
        '<p>“<a href="https://x.example">x</a>”</p>',
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES)
def test_each_rule_of_the_body_applies(source: str, expected: str) -> None:
    assert normal_form(email.EmailText(subject="", filled=source).html) == expected


def test_a_title_is_in_plain_text_and_preheader() -> None:
    text = email.EmailText(subject="", filled='[tides](https://x.example "Today\'s")')

    assert text.plain == "tides (Today's): https://x.example\n"
    assert text.preheader == "tides (Today's)"


def test_a_preheader_omits_rules_and_is_not_escaped() -> None:
    text = email.EmailText(subject="", filled="# Fish & chips\n\n---\n\n<b>")

    assert text.preheader == "Fish & chips <b>"


def test_lone_surrogates_raise_no_error() -> None:
    text = email.EmailText(subject="", filled="a\udc00b &#xD800; [\udfff](x)")

    assert text.html.encode()
    assert text.plain.encode()
