"""Text messages beyond the vectors. Source: docs/reference/rendering.md §3."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notifications.rendering import gsm, sms


def test_180_characters_are_kept_and_43_of_them_force_16_bits() -> None:
    assert len(gsm.KEPT) == 180
    assert len(gsm.SIXTEEN_BIT) == 43


@given(st.text())
def test_every_text_can_be_sent(text: str) -> None:
    message = sms.render("((v))", {"v": text})

    assert gsm.KEPT.issuperset(message.text)
    assert message.text == message.text.strip()
    assert message.fragments >= 1


@given(st.text(alphabet="kŷ€", max_size=1_000))
def test_fragments_contain_the_text_and_none_is_empty(text: str) -> None:
    message = sms.SmsText(text)
    alone, joined = (70, 67) if "ŷ" in text else (160, 153)
    units = len(text) if "ŷ" in text else len(text) + text.count("€")

    assert units <= alone if message.fragments == 1 else units <= joined * message.fragments
    assert message.over_previous_fragment_by is None or message.over_previous_fragment_by > 0


@pytest.mark.parametrize("prefix", [None, "", "  "])
def test_without_a_prefix_there_is_no_colon(prefix: str | None) -> None:
    assert sms.render("Kiln ready", {}, prefix=prefix).text == "Kiln ready"


def test_a_prefix_is_cleaned_before_it_is_measured() -> None:
    message = sms.render("Hi", {}, prefix="  Harbour \n Council ")

    assert message.text == "Harbour Council: Hi"
    assert message.chars_without_prefix == 2


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("(see quay.example)", '(see <a href="http://quay.example">quay.example</a>)'),
        ("quay.example/a_(b).", '<a href="http://quay.example/a_(b)">quay.example/a_(b)</a>.'),
        ("[quay.example/x]:", '[<a href="http://quay.example/x">quay.example/x</a>]:'),
        ("HTTPS://quay.example", '<a href="HTTPS://quay.example">HTTPS://quay.example</a>'),
        ("a\nb", "a<br>b"),
        ("1.5 a.b", "1.5 a.b"),
    ],
)
def test_the_preview_links_what_a_phone_would(text: str, html: str) -> None:
    assert sms.preview_html(sms.SmsText(text)) == html


def test_white_space_is_never_rejected() -> None:
    assert sms.rejected_characters("a\u2003b\u200b\t? 🛶") == ["🛶"]
