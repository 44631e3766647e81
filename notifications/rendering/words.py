"""The words that rendering adds to a message, by the language of its text.
Source: docs/reference/rendering.md §2, §4.9.

A language without an entry gets the English words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from unicodedata import normalize

ENGLISH = "en"
_WELSH_VOWELS = frozenset("aeiouwy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of one language. conjunction: the word "and" before the last item of a list"""

    unsubscribe: str
    conjunction: Callable[[str], str]


def _welsh_and(item: str) -> str:
    """Return `ac` before a vowel, `a` before a consonant. Accents and quotes do not matter."""
    letters = (letter for letter in normalize("NFD", item.lower()) if letter.isalnum())
    return "ac" if next(letters, "") in _WELSH_VOWELS else "a"


_WORDS = {
    ENGLISH: Words(unsubscribe="Unsubscribe from these emails", conjunction=lambda _: "and"),
    "cy": Words(unsubscribe="Dad-danysgrifio o’r e-byst hyn", conjunction=_welsh_and),
}


def of(language: str) -> Words:
    """Return the words of a language code such as `cy` or `en-GB`; an empty code is English."""
    return _WORDS.get(language.partition("-")[0].lower(), _WORDS[ENGLISH])


def sentence(items: Sequence[str], language: str) -> str:
    """Join items as in a sentence.

    >>> sentence(["rope", "a hook", "bait"], "en"), sentence(["bara", "wyau"], "cy"), sentence(["bara", "llaeth"], "cy")
    ('rope, a hook and bait', 'bara ac wyau', 'bara a llaeth')
    """
    *others, last = items
    return f"{', '.join(others)} {of(language).conjunction(last)} {last}" if others else last
