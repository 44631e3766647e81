"""The doctests of the modules from request to row pass."""

import doctest
from types import ModuleType

import pytest

from config.rest import content, idempotency
from notifications.api import fields as api_fields
from notifications.api import whole_keys
from notifications.errors import fields


@pytest.mark.parametrize(
    "module", [api_fields, content, fields, idempotency, whole_keys], ids=lambda module: module.__name__
)
def test_examples(module: ModuleType) -> None:
    result = doctest.testmod(module)

    assert result.attempted > 0
    assert result.failed == 0
