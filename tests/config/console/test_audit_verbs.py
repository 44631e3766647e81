"""The audit page has words for each verb that the code writes, and for no other verb."""

import pytest

from config.console import audit_sentences
from tests.config.console import verbs

KNOWN = {*audit_sentences.VERBS, *audit_sentences.OF_ACCOUNTS, *audit_sentences.OF_CLEAN_UP}


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    """Map each verb that the code writes to a place in the code. Reading all of the code takes seconds."""
    return verbs.written()


def test_every_verb_written_anywhere_has_its_words(written: dict[str, str]) -> None:
    assert len(written) > 30
    assert {verb: place for verb, place in written.items() if verb not in KNOWN} == {}


def test_no_words_are_kept_for_what_nobody_writes(written: dict[str, str]) -> None:
    assert KNOWN - set(written) == set()
