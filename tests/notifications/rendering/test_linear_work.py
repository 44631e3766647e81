"""Hostile inputs of 200,000 repeats end soon and do not exhaust the stack. Source: docs/reference/rendering.md §4.10.

Quadratic work on them takes hours, so the time limit of the test run is the assertion; none is measured here.
"""

import pytest

from notifications.rendering import email, placeholders, sanitise, sms

TIMES = 200_000
FEWER = 30_000  # for cases that the contract does not name; quadratic work would still exceed the time limit
OF_THE_CONTRACT = ["((", "[", "![", "* ", "^", "\\", '"', "|", " "]
FURTHER = [
    "]", "[]", "[](", "[[", "]](", '[a](b "', "((a", "(( ", "'", "' ", "- ", " ,", "@", "a-", "a.", "a-b.", "@a-",
    "&", "&#1", "http://", "http://.", "\n", "* a\n", "^\n", "^ a\n\n", "1.\n", "#", "=\n", "a\n=\n", "|\n", "+ a\n",
    "**https://a.b**", "@’", "'\u00a0", "\u00a0\n", "\u200b", "\u202e",
]  # fmt: skip
REPEATS = [*((part, TIMES) for part in OF_THE_CONTRACT), *((part, FEWER) for part in FURTHER)]


@pytest.mark.parametrize(("part", "times"), REPEATS)
def test_repeats_are_rendered(part: str, times: int) -> None:
    source = part * times

    text = email.render(source, source, {}, unlinked_names=["a.b", "#.1"])

    assert text.html is not None
    assert text.plain.endswith("\n")
    assert len(text.preheader) <= 256


@pytest.mark.parametrize(("part", "times"), REPEATS)
def test_repeats_are_sanitised_and_sent_as_text(part: str, times: int) -> None:
    source = part * times

    sanitise.value(source)
    sms.preview_html(sms.render(source, {}))

    assert placeholders.unfilled(source, {}, redact=True)


def test_nesting_as_deep_as_the_text_is_parsed() -> None:
    deep_lists = "".join(f"{'  ' * depth}* a\n" for depth in range(1_000))
    deep_insets = "^" * TIMES + " a"

    assert email.EmailText(subject="", filled=deep_lists).html.count("<ul") == 6
    assert email.EmailText(subject="", filled=deep_insets).html.count("<blockquote") == 6
