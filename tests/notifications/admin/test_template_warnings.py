"""The warnings of the template editor, which do not prevent a save."""

import pytest

from notifications.admin.templates.warnings import warnings

UNBALANCED = "The numbers of (( and )) differ"


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("Dear ((name)", UNBALANCED),
        ("Dear name))", UNBALANCED),
        ("((late??You are late.", "The condition ((late?? is not closed."),
        ("((late??Come (soon).)) ((name))", "The condition ((late?? is not closed."),
        ("Dear ((name, title))", "There is a comma inside ((name, title))."),
        ("THIS IS AN IMPORTANT MESSAGE FOR ALL OF YOU", "Text in CAPITALS is hard to read"),
        ("[here](((address)))", "The link ((address)) does not begin with https://"),
        ("[here](example.org/((id)))", "The link example.org/((id)) does not begin with https://"),
        ("Go to www.example.org/tides/((id)).", "The link www.example.org/tides/((id)) does not begin with https://"),
        ("Go to example.org/((first id))", "The link example.org/((first id)) does not begin with https://"),
    ],
)
def test_odd_text_causes_a_warning(text, warning):
    assert any(warning in one for one in warnings("A subject", text))


@pytest.mark.parametrize(
    "text",
    [
        "Dear ((name)), ((late??sorry, you are late.))",
        "[here](https://example.org/((id)))",
        "[write](mailto:((address)))",
        "See https://example.org/((id)) and ((name)).",
        "Yours.((late??Hurry.))",
        "AT 9 AM",
    ],
)
def test_usual_text_causes_no_warning(text):
    assert warnings("A subject", text) == []


def test_a_placeholder_for_a_file_needs_no_https():
    assert warnings("", "[The form](((form)))", files=["form"]) == []


def test_a_long_text_of_brackets_is_read_once():
    text = "((a??" * 50_000 + "a." * 100_000 + "((b))"

    assert any("is not closed" in one for one in warnings("", text))


def test_each_warning_is_shown_once():
    assert len(warnings("", "((a??b ((a??b")) == 2  # unbalanced brackets
