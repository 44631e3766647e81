"""Letters in text messages and subjects, however they are typed. Source: docs/reference/rendering.md §3.2, §4.1."""

import unicodedata

import pytest

from notifications.rendering import email, gsm, sms

_WITHOUT_PLAIN_FORM = ("CLICK", "TONE", "TWO", "PERCUSSIVE", "FRICATIVE")


def _text(value: object) -> str:
    return sms.render("((v))", {"v": value}).text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Amélie", "Amélie"),
        ("Siôn", "Siôn"),  # 16-bit, as its one character is
        ("Zoë Škoda", "Zoë Skoda"),
        ("Đorđe", "Dorde"),
        ("Łódź", "Lódz"),
        ("Þórunn Œuvre", "Thórunn OEuvre"),
        ("Əliyev Mammadzadə", "Eliyev Mammadzade"),
        ("Việt, ở", "Viet, o"),
        (["Anaïs", "Ħamrun"], "Anaïs and Hamrun"),
    ],
)
def test_letters_of_a_value_are_kept_or_get_their_plain_form(value: object, expected: str) -> None:
    value = [unicodedata.normalize("NFD", one) for one in value] if isinstance(value, list) else value

    assert _text(value) == expected
    assert isinstance(value, list) or _text(unicodedata.normalize("NFD", str(value))) == expected


def test_no_latin_letter_of_europe_africa_or_vietnam_becomes_a_question_mark() -> None:
    letters = [chr(code) for block in [range(0x41, 0x2B0), range(0x1E00, 0x1F00)] for code in block]
    latin = [letter for letter in letters if "LATIN" in (name := unicodedata.name(letter, "")) and "LETTER" in name]
    lost = [letter for letter in latin if "?" in _text(letter)]

    assert [unicodedata.name(letter) for letter in lost if not _has_no_plain_form(letter)] == []


def _has_no_plain_form(letter: str) -> bool:
    return any(word in unicodedata.name(letter) for word in _WITHOUT_PLAIN_FORM)


def test_a_prefix_of_separate_accents_is_composed() -> None:
    text = sms.render("Hi", {}, prefix=unicodedata.normalize("NFD", "Café"))

    assert text.text == "Café: Hi"
    assert text.chars_without_prefix == 2


def test_plain_forms_can_all_be_sent() -> None:
    letters = "".join(map(chr, range(0x100, 0x250)))

    assert set(_text(letters)) <= gsm.KEPT
    assert not gsm.SIXTEEN_BIT.intersection(_text("".join(map(chr, range(0x179, 0x1CD)))))


@pytest.mark.parametrize(
    "spelled",
    ["می‌خواهم", "👨‍👩‍👧", "🧑🏽‍🚒", "👩‍❤️‍👨", "क्‍ष", "ന്‍", "نامه‌ها"],
)
def test_joiners_that_spell_a_word_or_an_emoji_stay(spelled: str) -> None:
    assert email.render_subject("((v))", {"v": spelled}) == spelled
    assert email.render_subject("a ((v)) b", {"v": [spelled, spelled]}) == f"a {spelled} and {spelled} b"
    assert email.render("", "((v))", {"v": [spelled]}).plain == f"• {spelled}\n"


@pytest.mark.parametrize("typed", ["Tide\u200ds", "\u200cTides", "Tides\u200d", "Ti\u200bdes"])
def test_joiners_that_join_nothing_are_deleted(typed: str) -> None:
    assert email.render_subject(typed, {}) == "Tides"


def test_other_zero_width_characters_are_deleted_beside_joiners() -> None:
    assert email.render_subject("می\u200b\u200c\u200cخواهم", {}) == "می\u200cخواهم"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (r"Price \"quoted\" \- dash", 'Price "quoted" - dash'),
        (r"5 \-\- 6", "5 -- 6"),
        (r"it\'s 5 - 6", "it's 5 – 6"),
    ],
)
def test_escaped_characters_of_a_subject_are_as_typed(typed: str, shown: str) -> None:
    assert email.render_subject(typed, {}) == shown
