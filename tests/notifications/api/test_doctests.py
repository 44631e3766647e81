"""The examples in the docstrings of the road from request to row."""

import doctest
from types import ModuleType

import pytest

from notifications import errors
from notifications.api import identifiers, records
from notifications.submission import idempotency


@pytest.mark.parametrize("module", [errors, identifiers, idempotency, records], ids=lambda module: module.__name__)
def test_examples(module: ModuleType) -> None:
    result = doctest.testmod(module)

    assert result.attempted > 0
    assert result.failed == 0
