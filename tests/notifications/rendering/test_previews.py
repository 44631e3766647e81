"""Large emails are previewed in a limited process, with the same result, or with an error that names the limits.

Source: docs/reference/rendering.md §4.11.
"""

import pytest

from notifications.errors import EmailTooLargeToShow
from notifications.rendering import email, placeholders, previews
from notifications.rendering.email import EmailText
from notifications.rendering.previews import LARGE_CHARACTERS, PreviewParts

NAMES = ("quay.example",)


def render(content: str, values: dict[str, object]) -> EmailText | PreviewParts:
    return previews.render("Tides", content, values, unsubscribe_url="https://a.example", unlinked_names=NAMES)


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("# Tides\n\n- ((place))\n\n" + "High water at quay.example. " * 8000, {"place": "Quay"}),
        ("((text)) ((text))", {"text": "High water. " * 10_000}),
        ("((list))", {"list": ["High water"] * 10_000}),
    ],
    ids=["template", "value", "list"],
)
def test_a_large_email_has_the_same_parts_as_a_small_one(content: str, values: dict[str, object]) -> None:
    here = email.render("Tides", content, values, unsubscribe_url="https://a.example", unlinked_names=NAMES)

    parts = render(content, values)

    assert isinstance(parts, PreviewParts)
    for name in PreviewParts.__slots__:
        assert getattr(parts, name) == getattr(here, name)
    assert previews.parts_of(here) == parts


def test_a_small_email_is_rendered_in_this_process() -> None:
    assert isinstance(render("a" * LARGE_CHARACTERS, {}), EmailText)


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("- a\n" * 475_000, {}),
        ("* a\n\n" * 380_000, {}),
        ("((a))" * 18_000, {"a": "&" * 90_000}),
        ("((a))\n\n" * 1000, {"a": ["x"] * 20_000}),
    ],
    ids=["list marks", "loose lists", "one long value", "one long list"],
)
def test_an_email_that_needs_too_much_is_an_error_that_names_the_limits(
    content: str, values: dict[str, object]
) -> None:
    with pytest.raises(EmailTooLargeToShow, match=r"300 MiB of memory, 4 seconds or 10 MB of HTML"):
        render(content, values)


def test_values_are_filled_in_up_to_a_limit() -> None:
    filled = placeholders.fill("((a))((A))((b??-))((c))" * 100_000, {"a": "x" * 90_000, "b": "yes", "c": 1})

    assert placeholders.MOST_FILLED_CHARACTERS - 90_000 < len(filled) <= placeholders.MOST_FILLED_CHARACTERS
