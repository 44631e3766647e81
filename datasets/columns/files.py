"""Column files in the file store, and the copies that this machine keeps.

Files are named by their store and the SHA-256 of their content, and are never changed. The hash is checked when a file
is fetched. Source: docs/reference/column-files.md §4.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages
from django.utils import timezone

from datasets.models import Segment

_ENDING = ".parquet"
_KEPT = timedelta(minutes=15)  # a file that no segment names yet may be about to be named
_LEFT_BEHIND_SECONDS = 24 * 60 * 60
_MIB = 1024 * 1024


class FileDamaged(Exception):
    """The file store has no such file, or its content has changed."""


def file_store() -> Storage:
    return storages["columns"]


def has_cache() -> bool:
    """Return whether this process can write copies; without, the row store answers, and no file is built."""
    try:
        return os.access(cache_folder(), os.W_OK)
    except OSError:
        return False


def cache_folder() -> Path:
    folder = Path(settings.COLUMNS_CACHE_DIR)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def save(path: Path, store_id: int) -> str:
    """Store a file and return its name. The local copy is kept, because a read will probably need it."""
    name = f"{store_id}/{_hash_of(path)}{_ENDING}"
    with path.open("rb") as content:
        file_store().save(name, File(content))
    _keep(path, name)
    return name


def fetch(name: str) -> Path:
    """Return the local copy of a file. Raises FileDamaged, and OSError if the file store is away."""
    kept = _kept_path(name)
    with suppress(FileNotFoundError):
        os.utime(kept)  # the copies used longest ago are deleted first
        return kept
    with tempfile.TemporaryDirectory(dir=cache_folder(), prefix="fetched-") as folder:
        path = Path(folder) / kept.name
        try:
            with file_store().open(name) as content, path.open("wb") as copy:
                shutil.copyfileobj(content, copy)
        except FileNotFoundError as error:
            raise FileDamaged(name) from error
        if f"{_hash_of(path)}{_ENDING}" != Path(name).name:
            raise FileDamaged(name)
        return _keep(path, name)


def forget(name: str) -> None:
    """Delete the local copy, so that the next read fetches and checks the file again."""
    _kept_path(name).unlink(missing_ok=True)


def delete_unnamed() -> Iterator[int]:
    """Delete the files that no segment names, and yield 1 for each: earlier versions, and those of a killed builder."""
    files = file_store()
    try:
        folders, _ = files.listdir("")
    except FileNotFoundError:  # no file was ever stored
        return
    for folder in folders:
        named = set(Segment.objects.filter(file__startswith=f"{folder}/").values_list("file", flat=True))
        for file in files.listdir(folder)[1]:
            name = f"{folder}/{file}"
            if name not in named and files.get_modified_time(name) < timezone.now() - _KEPT:
                files.delete(name)
                forget(name)
                yield 1


def _kept_path(name: str) -> Path:
    return Path(settings.COLUMNS_CACHE_DIR, name.replace("/", "_"))


def _keep(path: Path, name: str) -> Path:
    kept = _kept_path(name)
    os.replace(path, kept)
    _limit_cache()
    return kept


def _limit_cache() -> None:
    """Delete the copies used longest ago until the others fit, and the folders of processes that were killed."""
    for folder in cache_folder().glob("*-*/"):
        with suppress(FileNotFoundError):  # other processes delete, too
            if folder.is_dir() and folder.stat().st_mtime < time.time() - _LEFT_BEHIND_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
    sizes = []
    for file in cache_folder().glob(f"*{_ENDING}"):
        with suppress(FileNotFoundError):
            found = file.stat()
            sizes.append((found.st_mtime, found.st_size, file))
    over = sum(size for _, size, _ in sizes) - settings.COLUMNS_CACHE_MB * _MIB
    for _, size, file in sorted(sizes):
        if over <= 0:
            return
        file.unlink(missing_ok=True)
        over -= size


def _hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
