"""What tests of the sending area share."""

from collections.abc import Iterator

import pytest

from notifications.submission import ttl_cache


@pytest.fixture(autouse=True)
def empty_caches() -> Iterator[None]:
    """Rows of one test are gone in the next: nothing that was read before may be kept."""
    ttl_cache.clear()
    yield
    ttl_cache.clear()
