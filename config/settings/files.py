"""Settings of files sent by email: storage, virus scanner, and limits of wrong email addresses.

Source: docs/reference/files.md §5, §8, §10.
"""

from typing import Any  # options of storages
from urllib.parse import urlsplit

from config import env_values
from config.env import env, folder_of
from config.settings.base import ALLOWED_HOSTS as _OTHER_HOSTS
from config.settings.base import BASE_URL, DATA_BASE_URL, VAR
from config.settings.base import STORAGES as _OTHER_STORAGES

FILES_BASE_URL = env.str("FILES_BASE_URL", BASE_URL, validate=env_values.base_url).rstrip("/")
ALLOWED_HOSTS = [*_OTHER_HOSTS, *(urlsplit(url).hostname or "" for url in (FILES_BASE_URL, DATA_BASE_URL))]
FILES_HELP_CONTACT = env.str("FILES_HELP_CONTACT", "")
FILES_STORAGE = env.str("FILES_STORAGE", "filesystem", validate=env_values.one_of("filesystem", "s3"))
FILES_DIR = env.path("FILES_DIR", VAR / "files")
FILES_S3_BUCKET = env.str("FILES_S3_BUCKET", "")
FILES_S3_ENDPOINT = env.str("FILES_S3_ENDPOINT", "", validate=env_values.url_or_blank)
FILES_S3_REGION = env.str("FILES_S3_REGION", "")
FILES_S3_ADDRESSING = env.str("FILES_S3_ADDRESSING", "auto", validate=env_values.one_of("auto", "path", "virtual"))
_ONE = env_values.at_least(1)
FILES_MAX_PER_EMAIL = env.int("FILES_MAX_PER_EMAIL", 10, validate=_ONE)
FILES_TRIES = env.int("FILES_TRIES", 10, validate=_ONE)  # wrong email addresses for one file in 15 minutes
FILES_TRIES_PER_DAY = env.int("FILES_TRIES_PER_DAY", 60, validate=_ONE)
_TRIES_PER_IP_ADDRESS = env.int("FILES_TRIES_PER_ADDRESS", 30, validate=_ONE)  # the name in version 1.0.0
FILES_TRIES_PER_IP_ADDRESS = env.int("FILES_TRIES_PER_IP_ADDRESS", _TRIES_PER_IP_ADDRESS, validate=_ONE)  # in 15 min
SCANNER = env.str("SCANNER", "none", validate=env_values.scanner)
SCAN_TIMEOUT_SECONDS = env.float("SCAN_TIMEOUT_SECONDS", 10.0, validate=env_values.between(1, 300))

_FOLDER: dict[str, object] = {
    "BACKEND": "notifications.attachments.folder.BlobFolder",
    "OPTIONS": {"location": FILES_DIR},
}
_BUCKET: dict[str, object] = {
    "BACKEND": "notifications.attachments.bucket.Bucket",
    "OPTIONS": {
        "bucket_name": FILES_S3_BUCKET,
        "endpoint_url": FILES_S3_ENDPOINT or None,
        "region_name": FILES_S3_REGION or None,
        "addressing_style": FILES_S3_ADDRESSING,
    },
}
# Column files of large data sets: named by their content and written whole, so writing one again changes nothing.
_COLUMNS_FOLDER: dict[str, Any] = {
    "BACKEND": "django.core.files.storage.FileSystemStorage",
    "OPTIONS": {
        "location": FILES_DIR / "columns",
        "allow_overwrite": True,
        "file_permissions_mode": 0o600,
        "directory_permissions_mode": 0o700,
    },
}
_COLUMNS_BUCKET: dict[str, Any] = {
    "BACKEND": "storages.backends.s3.S3Storage",
    "OPTIONS": {
        "bucket_name": FILES_S3_BUCKET,
        "endpoint_url": FILES_S3_ENDPOINT or None,
        "region_name": FILES_S3_REGION or None,
        "addressing_style": FILES_S3_ADDRESSING,
        "location": "columns",
    },
}
# Files of imports and their rejected rows, encrypted before they are stored.
_IMPORTS_FOLDER = {**_COLUMNS_FOLDER, "OPTIONS": {**_COLUMNS_FOLDER["OPTIONS"], "location": FILES_DIR / "imports"}}
_IMPORTS_BUCKET = {**_COLUMNS_BUCKET, "OPTIONS": {**_COLUMNS_BUCKET["OPTIONS"], "location": "imports"}}
STORAGES = {
    **_OTHER_STORAGES,
    "attachments": _BUCKET if FILES_STORAGE == "s3" else _FOLDER,
    "columns": _COLUMNS_BUCKET if FILES_STORAGE == "s3" else _COLUMNS_FOLDER,
    "imports": _IMPORTS_BUCKET if FILES_STORAGE == "s3" else _IMPORTS_FOLDER,
}
if FILES_STORAGE == "s3" and not FILES_S3_BUCKET:
    raise ValueError("FILES_S3_BUCKET must name the bucket when FILES_STORAGE is s3")
if FILES_STORAGE == "filesystem" and env.str("FILES_DIR", ""):  # the folder below VAR_DIR is made when it is needed
    folder_of("FILES_DIR", FILES_DIR)
