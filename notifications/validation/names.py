"""Check the names of services, senders and templates for invisible and misleading characters.

The rules follow Unicode Technical Standard 39 (restriction levels), with the script data of the library `regex`:

- A name has no control, line break, private-use or invisible characters, and so no bidirectional overrides.
  Joiners and variation selectors are allowed in emoji and in the scripts that need them.
- A word has letters of one script. Chinese, Japanese and Korean may mix their scripts with each other and with Latin.
- A name has letters of only one of the scripts whose letters look alike, such as Latin, Greek and Cyrillic.

A name in any single script is allowed, with accents, digits, punctuation and emoji.
"""

import unicodedata
from collections.abc import Iterable

import regex

from config.invalid import InvalidValue

MAX_NAME_CHARACTERS = 255

# Scripts in which joiners are meaningful. Allowed invisible characters are removed before the search for the others.
_JOINING = (
    r"[\p{Arabic}\p{Syriac}\p{Mongolian}\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}\p{Tamil}"
    r"\p{Telugu}\p{Kannada}\p{Malayalam}\p{Sinhala}\p{Khmer}\p{Myanmar}]"
)
_NEEDED = regex.compile(
    rf"(?<={_JOINING})[\u200c\u200d]"
    r"|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})"
    r"|(?<=\p{Emoji})[\ufe0e\ufe0f]"
    r"|(?<=\p{sc=Han})[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    r"|(?<=\U0001f3f4)[\U000e0020-\U000e007e]+\U000e007f"  # the flags of England, Scotland and Wales
)
_UNSEEN = regex.compile(r"[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]")
_LINE_BREAKS = "\n\r\v\f\x85\u2028\u2029"

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}\u200c\u200d]+")
_SCRIPT_NAMES = (
    "Latin Greek Cyrillic Armenian Coptic Cherokee Lisu Deseret "
    "Hebrew Arabic Syriac Thaana NKo Ethiopic Georgian Tifinagh Vai Adlam Mongolian Canadian_Aboriginal "
    "Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Meetei_Mayek Ol_Chiki "
    "Thai Lao Khmer Myanmar Tibetan Balinese Javanese Sundanese Cham Yi Han Hiragana Katakana Bopomofo Hangul"
)
_SCRIPTS = {name: regex.compile(rf"(?=\p{{L}})\p{{sc={name}}}") for name in _SCRIPT_NAMES.split()}
_LOOK_ALIKE = {"Latin", "Greek", "Cyrillic", "Armenian", "Coptic", "Cherokee", "Lisu", "Deseret"}
_WRITTEN_TOGETHER: tuple[set[str], ...] = (
    {"Latin", "Han", "Hiragana", "Katakana"},
    {"Latin", "Han", "Bopomofo"},
    {"Latin", "Han", "Hangul"},
)


def parse_name(text: str) -> str:
    """Return the name of a service or a template as it is stored, or raise InvalidValue."""
    name = text.strip()
    if not name:
        raise InvalidValue("Enter a name.")
    if len(name) > MAX_NAME_CHARACTERS:
        raise InvalidValue(f"Use at most {MAX_NAME_CHARACTERS} characters. You entered {len(name)}.")
    check_name(name)
    return name


def check_name(name: str) -> None:
    """Raise InvalidValue if a name has invisible characters, or letters of scripts that look alike.

    >>> for name in ("Llyfrgell Ŵy", "Café – l'étage", "Допомога", "東京タワーTokyo", "Parks 🌳 & Lakes"):
    ...     check_name(name)
    >>> check_name("Pаrks")  # the second letter is Cyrillic
    Traceback (most recent call last):
    ...
    config.invalid.InvalidValue: Use letters of one alphabet: “Pаrks” mixes Cyrillic and Latin.
    """
    unseen = _UNSEEN.search(_NEEDED.sub("", name))
    if unseen is not None:
        raise InvalidValue(_without(unseen[0]))
    for word in _WORD.findall(name):
        scripts = _scripts_of(word)
        if len(scripts) > 1 and not any(scripts <= together for together in _WRITTEN_TOGETHER):
            raise InvalidValue(_of_one_alphabet(word, scripts))
    scripts = _scripts_of(name) & _LOOK_ALIKE
    if len(scripts) > 1:
        raise InvalidValue(_of_one_alphabet(name, scripts))


def is_taken(name: str, others: Iterable[str]) -> bool:
    """Return whether `others` contains the name, regardless of case."""
    return same_case(name) in map(same_case, others)


def same_case(name: str) -> str:
    """Return the form in which names are compared regardless of case."""
    return unicodedata.normalize("NFC", name).casefold()


def _scripts_of(text: str) -> set[str]:
    return {name for name, letter in _SCRIPTS.items() if letter.search(text)}


def _without(character: str) -> str:
    if character in _LINE_BREAKS:
        return "Enter this on one line, without line breaks."
    called = unicodedata.name(character, "control or private-use character").lower()
    return f"Remove the character that cannot be seen: U+{ord(character):04X} ({called})."


def _of_one_alphabet(text: str, scripts: set[str]) -> str:
    mixed = " and ".join(sorted(script.replace("_", " ") for script in scripts))
    return f"Use letters of one alphabet: “{text}” mixes {mixed}."
