"""The words that rendering adds are in the language of the text. Source: docs/reference/rendering.md §2, §4.9."""

import re

import pytest

from notifications.rendering import document, email, sms
from tests.servers import ROOT


@pytest.mark.parametrize(
    ("items", "language", "expected"),
    [
        (["bara", "llaeth", "te"], "cy", "bara, llaeth a te"),
        (["bara", "llaeth", "wyau"], "cy", "bara, llaeth ac wyau"),
        (["bara", "ŵyn"], "cy", "bara ac ŵyn"),
        (["bara", "“Ystrad”"], "cy-GB", "bara ac “Ystrad”"),
        (["bara", "–"], "cy", "bara a –"),
        (["bara", "caws"], "en", "bara and caws"),
        (["bara", "caws"], "fr", "bara and caws"),
        (["bara", "caws"], "", "bara and caws"),
        (["bara"], "cy", "bara"),
    ],
)
def test_a_list_is_joined_in_the_language_of_the_text(items: list[str], language: str, expected: str) -> None:
    values = {"x": items}
    text = email.render("((x))", "((x))", values, language=language)

    plain = expected.translate(str.maketrans("“”–", '""-'))
    assert sms.render("((x))", values, language=language).text == plain
    assert text.subject == expected
    assert text.body == "\n".join(f"* {item}" for item in items)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("cy", "Dad-danysgrifio o’r e-byst hyn"),
        ("en-GB", "Unsubscribe from these emails"),
        ("pl", "Unsubscribe from these emails"),
    ],
)
def test_the_unsubscribe_footer_is_in_the_language_of_the_text(language: str, words: str) -> None:
    text = email.render("", "x", {}, language=language, unsubscribe_url="https://a.example/u")

    assert text.plain.endswith(f"{words}: https://a.example/u\n")
    assert f">{words}</a>" in text.html
    assert f'<html lang="{language}">' in document.html_document(text)


def test_every_caller_passes_the_language() -> None:
    """A caller that forgets it would get English words."""
    calls = re.compile(r"\b(?:email|sms)\.render[(,](?P<after>.{0,300})", re.DOTALL)
    files = [path for path in (ROOT / "notifications").rglob("*.py") if path.parent.name != "rendering"]
    found = [(path.name, call["after"]) for path in files for call in calls.finditer(path.read_text())]

    assert len(found) > 7
    assert [name for name, after in found if "language=" not in after] == []
