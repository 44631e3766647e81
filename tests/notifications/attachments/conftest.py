"""Each test has its own blob store: a folder, or an S3 server on request."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from notifications.attachments import store
from tests.notifications.attachments.s3_store import S3Store


@pytest.fixture(autouse=True)
def blobs(settings: Any, tmp_path: Path) -> Path:
    """The folder for the blobs of this test."""
    folder = tmp_path / "files"
    own = {"BACKEND": "notifications.attachments.folder.BlobFolder", "OPTIONS": {"location": folder}}
    settings.STORAGES = {**settings.STORAGES, "attachments": own}
    assert store.names() == []
    return folder


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Store]:
    server = S3Store(tmp_path_factory.mktemp("s3"))
    yield server
    server.stop()


@pytest.fixture
def s3(s3_server: S3Store, settings: Any) -> S3Store:
    """Use an empty S3 bucket for the blobs of this test."""
    s3_server.forget()
    own = {"BACKEND": "notifications.attachments.bucket.Bucket", "OPTIONS": s3_server.options()}
    settings.STORAGES = {**settings.STORAGES, "attachments": own}
    return s3_server


@pytest.fixture(params=["folder", "s3"])
def any_store(request: pytest.FixtureRequest, blobs: Path) -> str:
    """Run the test on both kinds of store."""
    if request.param == "s3":
        request.getfixturevalue("s3")
    return str(request.param)
