"""Each test has a folder of blobs of its own."""

from pathlib import Path
from typing import Any

import pytest

from notifications.attachments import store


@pytest.fixture(autouse=True)
def blobs(settings: Any, tmp_path: Path) -> Path:
    """The folder of the blobs of this test."""
    folder = tmp_path / "files"
    own = {"BACKEND": "notifications.attachments.folder.BlobFolder", "OPTIONS": {"location": folder}}
    settings.STORAGES = {**settings.STORAGES, "attachments": own}
    assert store.names() == []
    return folder
