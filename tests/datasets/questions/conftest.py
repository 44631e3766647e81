"""Column files for data sets of any size, as in `tests.datasets.columns`."""

from tests.datasets.columns.conftest import small_segments  # noqa: F401  an automatic fixture
