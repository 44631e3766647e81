"""Set the environment of the suite before Django reads its settings. `.env` is not read."""

import os
import shutil
import tempfile

import pytest

from tests.servers import claim_redis_database, empty_redis_database

os.environ.setdefault("ENVIRONMENT", "test")
os.environ.setdefault("SECRET_KEY", "a-key-for-the-suite-alone-a-key-for-the-suite-alone")
os.environ.setdefault("FIELD_KEYS", "ZmllbGQta2V5LWZvci10aGUtc3VpdGUtYWxvbmUtMzI=")

_made_here = "" if "VAR_DIR" in os.environ else tempfile.mkdtemp(prefix="signalbox-")
if _made_here:
    os.environ["VAR_DIR"] = _made_here
if os.environ.get("REDIS_URL"):
    os.environ["REDIS_URL"] = claim_redis_database(os.environ["REDIS_URL"])


def pytest_unconfigure(config: pytest.Config) -> None:
    if _made_here:
        shutil.rmtree(_made_here, ignore_errors=True)
    if os.environ.get("REDIS_URL"):
        empty_redis_database(os.environ["REDIS_URL"])
