"""Placeholders and their values beyond the vectors. Source: docs/reference/rendering.md §2."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notifications.rendering import placeholders
from notifications.rendering.placeholders import Lists, Piece


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("(( ))", [" "]),
        ("(())", []),
        ("(((x)))", ["x"]),
        ("((a??b ((c)) d))", ["c"]),
        ("((a??b??c))", ["a"]),
    ],
)
def test_placeholders_are_found(text: str, names: list[str]) -> None:
    assert placeholders.find(text) == names


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (4, "4"),
        (1.0, "1.0"),
        (True, "True"),
        ([], ""),
        ([None, " ", "\u200b"], ""),
        (["a"], "a"),
        (["a", "b", "c"], "a, b and c"),
        ([1, {"a": 1}, ["b"]], '1, {"a": 1} and ["b"]'),
        ({"a": "é"}, '{"a": "é"}'),
    ],
)
def test_a_value_is_printed(value: object, printed: str) -> None:
    assert placeholders.fill("((v))", {"v": value}) == printed


def test_the_later_of_two_equal_keys_wins() -> None:
    assert placeholders.fill("((first name))", {"First_Name": "a", "firstname": "b"}) == "b"


def test_a_list_in_an_email_body_is_a_bulleted_list() -> None:
    filled = placeholders.fill("Bring ((kit))!", {"kit": ["rope", "a\u00a0 lamp "]}, lists=Lists.AS_BULLETS)

    assert filled == "Bring \n\n* rope\n* a lamp!"


def test_the_name_of_a_conditional_is_highlighted() -> None:
    pieces = list(placeholders.pieces("((late??You are late)) ((name))", {"name": "Jo"}, redact=False))

    assert [piece for piece in pieces if piece.text] == [
        Piece("((late??", is_highlighted=True),
        Piece("You are late))"),
        Piece(" "),
        Piece("Jo"),
    ]


def test_commas_in_a_placeholder_cause_a_warning() -> None:
    assert placeholders.with_comma("((a,b)) ((c)) (d,e)") == ["a,b"]


@given(st.text(alphabet="()?a _-\n"), st.text(alphabet="()?a"))
def test_filling_changes_neither_a_value_nor_the_rest(template: str, value: str) -> None:
    names = placeholders.find(template)

    filled = placeholders.fill(template, dict.fromkeys(names, value))

    assert placeholders.missing(template, personalisation=dict.fromkeys(names, value)) == []
    assert placeholders.fill(template, {}) == template
    if not names:
        assert filled == template
