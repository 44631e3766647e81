"""What tests of the sending area share."""

from collections.abc import Iterator

import pytest

from notifications.submission import recall


@pytest.fixture(autouse=True)
def nothing_recalled() -> Iterator[None]:
    """Rows of one test are gone in the next: nothing read before may be remembered."""
    recall.forget()
    yield
    recall.forget()
