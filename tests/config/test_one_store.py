"""The lists of tests that run on SQLite only, or first, name existing files."""

import pytest

from tests import conftest, one_store
from tests.servers import ROOT


@pytest.mark.parametrize("place", one_store.PLACES)
def test_each_path_exists(place):
    file, _, name = place.partition("[")[0].partition("::")

    assert f"def {name}" in (ROOT / file).read_text() if name else (ROOT / file).exists()


@pytest.mark.parametrize("place", conftest.LONG)
def test_each_long_file_exists(place):
    assert (ROOT / "tests" / place).exists()
