"""Fixtures of the sending area."""

from collections.abc import Iterator

import pytest

from notifications.delivery import pauses
from notifications.submission import ttl_cache


@pytest.fixture(autouse=True)
def empty_caches() -> Iterator[None]:
    """Clear the caches, because the rows of a test do not exist in the next one."""
    ttl_cache.clear()
    pauses.forget_cached()
    yield
    ttl_cache.clear()
    pauses.forget_cached()
