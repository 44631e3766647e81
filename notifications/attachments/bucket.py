"""Blobs in an object store with the S3 API. The store holds only ciphertext. Source: docs/reference/files.md §8.

Only this module imports the SDK, which takes 0.5 s. It is imported only if FILES_STORAGE needs it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files import File
from django.core.files.base import ContentFile
from storages.backends.s3 import S3Storage

CONNECT_SECONDS = 2
READ_SECONDS = 5
TRIES = 2  # the first try included, so a call to a stopped store ends after 10 s


class Bucket(S3Storage):
    """django-storages' S3 storage with short time-outs and Python's built-in errors.

    A client_config replaces the storage's options of the same names, so it contains all of them.
    """

    def __init__(self, *, addressing_style: str, **options: Any) -> None:  # Any: the storage's own options
        config = Config(
            signature_version="s3v4",
            s3={"addressing_style": addressing_style},
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"total_max_attempts": TRIES, "mode": "standard"},  # `max_attempts` would count the repeats only
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        super().__init__(
            client_config=config, file_overwrite=False, querystring_auth=False, default_acl=None, **options
        )

    def exists(self, name: str) -> bool:
        with _in_words():
            return bool(super().exists(name))

    def delete(self, name: str) -> None:
        with _in_words():
            super().delete(name)

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with _in_words():
            folders, names = super().listdir(path)
            return folders, names

    def get_modified_time(self, name: str) -> datetime:
        with _in_words():
            moment: datetime = super().get_modified_time(name)
            return moment

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        """Read the whole blob with one request."""
        with _in_words():
            return ContentFile(self.bucket.Object(name).get()["Body"].read(), name)

    def _save(self, name: str, content: "File[bytes]") -> str:
        """Write the whole blob with one request, so that no partial blob can exist."""
        with _in_words():
            self.bucket.Object(name).put(Body=content.read(), ContentType="application/octet-stream")
        return name


@contextmanager
def _in_words() -> Iterator[None]:
    """Raise FileNotFoundError for a missing blob and ConnectionError for every other error of the store."""
    try:
        yield
    except ClientError as error:
        answer = error.response
        is_missing = answer.get("ResponseMetadata", {}).get("HTTPStatusCode") == 404
        if is_missing and answer.get("Error", {}).get("Code") != "NoSuchBucket":
            raise FileNotFoundError from error
        raise ConnectionError(answer.get("Error", {}).get("Code", "")) from error
    except (BotoCoreError, Boto3Error) as error:
        raise ConnectionError(type(error).__name__) from error
