"""Text from untrusted or careless authors never reaches a reader as markup.

Source: docs/reference/rendering.md §5.
"""

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notifications.api.schema.chapters import CHAPTERS
from notifications.rendering import email, sanitise, sms
from notifications.rendering.document import html_document

ELEMENTS = {"p", "br", "h2", "h3", "ul", "ol", "li", "blockquote", "hr", "a"}
ATTRIBUTES = {"a": {"href", "title", "style"}}
LIVE = ("http:", "https:", "mailto:", "tel:")

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- comment -->",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x]( javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox)",
    "[x](file:///etc/passwd)",
    "[x](&#106;avascript:alert(1))",
    "[x](\tjava\nscript:alert(1))",
    '[x](https://a.example" onclick="alert(1))',
    "[x](https://a.example 'b\" onclick=\"c')",
    '[x](https://a.example "</a><script>")',
    'https://a.example/"onmouseover="alert(1)',
    "https://a.example/<script>",
    "![x](javascript:alert(1))",
    "[<b>x</b>](https://a.example)",
    "\\<script\\>",
    "^<b>\n* <i>\n# <u>",
]
markdown_like = st.text(alphabet="ab1.:/@ \n\t\\`*_[](){}<>#+-!|^•=~&;\"'%\u00a0\u2028\u3164", max_size=200)


class Elements(HTMLParser):
    """Collect every element with its attributes. Anything but text is an error."""

    def __init__(self, fragment: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(fragment)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), "an attribute twice"
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        pytest.fail(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        pytest.fail(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        pytest.fail(f"a processing instruction: {data}")


def fragment(source: str) -> str:
    return email.EmailText(subject="", filled=source).html


def check_only_our_markup(source: str) -> None:
    for name, attributes in Elements(fragment(source)).found:
        assert name in ELEMENTS
        assert set(attributes) <= ATTRIBUTES.get(name, {"style"})
        if name == "a":
            assert attributes["href"].lower().startswith(LIVE)
            assert not re.search(r"[\s\"'<>]", attributes["href"])


@pytest.mark.parametrize("source", HOSTILE)
def test_only_the_renderers_markup_reaches_the_reader(source: str) -> None:
    check_only_our_markup(source)
    check_only_our_markup(f"# {source}\n\n* {source}\n\n^ {source}\n\n[{source}]({source})")


@given(markdown_like)
@pytest.mark.fault("H3")
def test_no_text_creates_markup(source: str) -> None:
    check_only_our_markup(source)


def test_a_link_title_adds_no_attribute() -> None:
    [(_, _), (name, attributes)] = Elements(fragment("[x](https://a.example 'b\" onclick=\"c')")).found

    assert name == "a"
    assert attributes["title"] == 'b" onclick="c'
    assert "onclick" not in attributes


@pytest.mark.parametrize(
    ("target", "href"),
    [
        ("javascript:alert", "http://javascript:alert"),
        ("DATA:text/html,x", "http://DATA:text/html%2Cx"),
        ("file:///srv/list.txt", "http://file:///srv/list.txt"),
        ("ftp://a.example", "http://ftp://a.example"),
        ("\u0001javascript:x", "http://%01javascript:x"),
        ("HTTPS://a.example", "HTTPS://a.example"),
        ("tel:01632960123", "tel:01632960123"),
        ("a.example/é", "http://a.example/%C3%A9"),
    ],
)
@pytest.mark.fault("H3")
def test_only_four_schemes_are_links(target: str, href: str) -> None:
    link = Elements(fragment(f"[x]({target})")).found[1]

    assert link[1]["href"] == href


@pytest.mark.parametrize("break_", ["\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029", "\x0b", "\x0c", "\x1b", "\x7f"])
def test_a_subject_is_one_line_without_control_characters(break_: str) -> None:
    subject = email.render_subject("Hello ((name))", {"name": f"Eve{break_}Bcc: a@b.example"})

    assert len(subject.splitlines()) == 1
    assert subject.isprintable()


@given(st.text())
def test_no_value_breaks_a_subject_into_lines(value: str) -> None:
    subject = email.render_subject("((name))", {"name": value})

    assert len(subject.splitlines()) <= 1
    assert subject == subject.strip()


@given(markdown_like)
def test_a_sanitised_value_has_no_links_and_no_markup(value: str) -> None:
    elements = Elements(fragment(sanitise.value(value))).found

    assert {name for name, _ in elements} <= {"p", "br"}


@pytest.mark.parametrize(
    "value",
    [
        "&lbrack;win&rbrack;&lpar;https://bad.example/x&rpar;",
        "http&colon;//bad.example/x",
        "http:/\u2028/localhost/x",
        "http:/\u3164/3232235777/x",
        "\u3164^ inset",
        "a\r^ inset",
        "Hi\n  • one",
        "Hi\n===",
        "&Hat; inset",
        "x-https://bad.example/y",
        "a@b-c.example/x",
    ],
)
def test_the_sanitiser_cannot_be_evaded(value: str) -> None:
    elements = Elements(fragment(sanitise.value(value))).found

    assert {name for name, _ in elements} <= {"p", "br"}


def test_markdown_in_values_applies_unless_sanitised() -> None:
    text = email.render("", "Dear ((name))", {"name": "[win](https://bad.example)"})

    assert '<a href="https://bad.example"' in text.html


NOT_OBEYED = ["((b))", "{{7*7}}", "{% load static %}", "${7*7}", "%(x)s", "<script>alert(1)</script>"]


@pytest.mark.parametrize("value", NOT_OBEYED)
def test_a_value_is_neither_a_template_nor_markup(value: str) -> None:
    text = email.render("((a))", "((a))", {"a": value, "b": "filled"})

    assert Elements(text.html).found[0][0] == "p"
    assert Elements(text.html).text == value
    assert (text.subject, text.plain) == (value, f"{value}\n")


def test_the_documentation_shows_a_sanitised_link() -> None:
    [chapter] = [chapter.text for chapter in CHAPTERS if "### Values from untrusted sources" in chapter.text]
    request, answer = map(json.loads, re.findall(r"```json\n(.*?)```", chapter, re.DOTALL))

    sanitised = sanitise.request(request["personalisation"], request["sanitise_content_for"])

    assert sanitised.changed == answer["sanitised_content"]
    text = email.render("", "((name))", sanitised.personalisation)
    assert [name for name, _ in Elements(text.html).found] == ["p"]
    assert f"The email reads `{text.plain.strip()}`" in chapter


def test_the_preview_of_a_text_message_escapes_what_it_shows() -> None:
    text = sms.render("((v))", {"v": "<script> bad.example/\"><script> 'x'"})

    assert Elements(sms.preview_html(text)).found == [("a", {"href": 'http://bad.example/">'})]


def test_the_document_escapes_subject_and_preheader() -> None:
    text = email.EmailText(subject="</title><script> <!-- fragment -->", filled="<!-- fragment --> {{ subject }} <b>")

    document = html_document(text)

    assert "<script>" not in document
    assert "<b>" not in document
    assert document.count("<!--") == 2  # those for Outlook
    assert "&lt;!-- fragment --&gt; {{ subject }} &lt;b&gt;</p>" in document
