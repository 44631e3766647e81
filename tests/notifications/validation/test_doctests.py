"""The examples in the docstrings of the rules."""

import doctest
from types import ModuleType

import pytest

from notifications.validation import names, people, protected, senders


@pytest.mark.parametrize("module", [names, people, protected, senders], ids=lambda module: module.__name__)
def test_examples(module: ModuleType) -> None:
    result = doctest.testmod(module)

    assert result.attempted > 0
    assert result.failed == 0
