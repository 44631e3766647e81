"""Column files for data sets of any size, in folders of the test's own."""

import pytest


@pytest.fixture(autouse=True)
def small_segments(settings, tmp_path):
    settings.COLUMNS_FROM_RECORDS = 1
    settings.COLUMNS_READ_FROM_RECORDS = 0
    settings.COLUMNS_SEGMENT_RECORDS = 7
    settings.DATABASE_STATEMENT_SECONDS = 30  # the start of a query process counts, and the machine is busy
    settings.COLUMNS_CACHE_DIR = tmp_path / "cache"
    settings.STORAGES = {
        **settings.STORAGES,
        "columns": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / "store", "allow_overwrite": True},
        },
    }
