"""The doctests pass."""

import doctest
from types import ModuleType

import pytest

from notifications.delivery import messages, retry_times, suppressions
from notifications.delivery.providers import http, mime, smpp_text


@pytest.mark.parametrize(
    "module", [messages, retry_times, suppressions, http, mime, smpp_text], ids=lambda module: module.__name__
)
def test_the_doctests_pass(module: ModuleType) -> None:
    outcome = doctest.testmod(module)

    assert (outcome.failed, outcome.attempted > 0) == (0, True)
