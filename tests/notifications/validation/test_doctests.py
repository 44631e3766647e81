"""The doctests of the rules pass."""

import doctest
from types import ModuleType

import pytest

from notifications.validation import names, people, protected, senders, time_zones, unsubscribe_urls


@pytest.mark.parametrize(
    "module", [names, people, protected, senders, time_zones, unsubscribe_urls], ids=lambda module: module.__name__
)
def test_examples(module: ModuleType) -> None:
    result = doctest.testmod(module)

    assert result.attempted > 0
    assert result.failed == 0
