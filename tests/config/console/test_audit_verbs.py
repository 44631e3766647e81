"""The audit page has words for each verb that the code writes, and for no other verb."""

import pytest

from config.console import audit_verbs
from tests.config.console import verbs

KNOWN = {*audit_verbs.VERBS, *audit_verbs.OF_ACCOUNTS, *audit_verbs.OF_CLEAN_UP}


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    """Map each verb that the code writes to a place in the code. Reading all of the code takes seconds."""
    return verbs.written()


def test_every_verb_in_the_code_has_a_sentence(written: dict[str, str]) -> None:
    assert len(written) > 30
    assert {verb: place for verb, place in written.items() if verb not in KNOWN} == {}


def test_every_sentence_has_a_verb_in_the_code(written: dict[str, str]) -> None:
    assert KNOWN - set(written) == set()
