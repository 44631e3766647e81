"""Set the environment of the suite before Django reads its settings. `.env` is not read."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


@contextlib.contextmanager
def separated(name: str) -> Iterator[None]:
    """Give a fork its own folder and Redis database, in its environment and in the settings that are already loaded."""
    from django.conf import settings  # the plugin is imported before its settings are known

    own = {"VAR_DIR": f"{os.environ['VAR_DIR']}/{name}"}
    if os.environ.get("REDIS_URL"):
        own["REDIS_URL"] = claim_redis_database(os.environ["REDIS_URL"])
    shared = {variable: os.environ[variable] for variable in own}
    for setting in filter(str.isupper, dir(settings)):
        for variable, new in own.items():
            value = getattr(settings, setting)
            if (moved := _moved(value, shared[variable], new)) is not value:
                setattr(settings, setting, moved)
    os.environ.update(own)
    Path(own["VAR_DIR"], "queue").mkdir(parents=True, exist_ok=True)
    yield
    if "REDIS_URL" in own:
        empty_redis_database(own["REDIS_URL"])


def _moved(value: Any, old: str, new: str) -> Any:
    """Return a setting in which paths and URLs that begin with `old` begin with `new`.

    Dictionaries and lists are changed themselves, because Django's connections hold those of the databases.
    """
    if isinstance(value, str | Path) and str(value).startswith(old):
        return type(value)(new + str(value).removeprefix(old))
    if isinstance(value, dict | list):
        for key, one in list(value.items() if isinstance(value, dict) else enumerate(value)):
            if (moved := _moved(one, old, new)) is not one:
                value[key] = moved
    return value
