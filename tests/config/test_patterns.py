"""Regular expressions that each supported Python reads alike."""

import random
import re

import pytest
import regex

from datasets.imports.reading import shapes
from notifications.delivery.returned_emails.reading import headers, plain_bounces, returned
from tests.servers import ROOT

# Python 3.11.2 of Debian 12 ends some matches of such a group too late or too early (3.11.7 does not): in `a.b./`,
# `[\w-]++(?:\.[\w-]++)*+` finds `a.b.` and not `a.b`. An atomic group is right everywhere: `(?>(?:…)*)`.
POSSESSIVE_GROUP = re.compile(r"(?:(?<![(\\])\)|\{\w+\})[*+?]\+")
# An atomic group keeps up to 300 bytes for each repetition, too many for texts of megabytes. These are compared below.
OF_LONG_TEXTS = {
    "datasets/imports/reading/shapes.py",
    "notifications/bulk_tables/tables.py",  # tested with hostile files
    "notifications/delivery/returned_emails/reading/headers.py",
    "notifications/delivery/returned_emails/reading/plain_bounces.py",
    "notifications/delivery/returned_emails/reading/returned.py",
}
COMPARED = [
    *((pattern, "-10.\n2t:Z") for pattern in shapes._ALIKE.values()),
    (headers._FIELD, "a: \n\tb"),
    (headers._PARAMETER, '; a="\\b\n'),
    (plain_bounces._PARAGRAPH, "<a>: \nbc"),
    (returned._BETWEEN_BLOCKS, "\n \ta"),
]


def test_no_group_has_a_possessive_quantifier() -> None:
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_text()
        for area in ("config", "datasets", "notifications")
        for path in (ROOT / area).rglob("*.py")
    }

    assert {path for path, text in sources.items() if POSSESSIVE_GROUP.search(text)} == OF_LONG_TEXTS


@pytest.mark.parametrize(("pattern", "characters"), COMPARED)
def test_patterns_for_long_texts_find_what_another_engine_finds(pattern: re.Pattern, characters: str) -> None:
    other, drawn = regex.compile(pattern.pattern, pattern.flags & ~re.UNICODE), random.Random(1)  # noqa: S311

    for _ in range(5_000):
        text = "".join(drawn.choices(characters, k=drawn.randint(1, 16)))
        given = text.encode() if isinstance(pattern.pattern, bytes) else text
        assert [found.span() for found in pattern.finditer(given)] == [found.span() for found in other.finditer(given)]


def test_a_possessive_group_is_found() -> None:
    assert POSSESSIVE_GROUP.search(r"(?:\.[a-z]++)*+")
    assert POSSESSIVE_GROUP.search("{_CHARACTER}*+")
    assert not POSSESSIVE_GROUP.search(r"[^)]*+ '()*+,-. (?>(?:ab)*)")
