"""Blobs in a local folder, synced to disk. Source: docs/reference/files.md §8."""

import os
from pathlib import Path

from django.core.files import File
from django.core.files.storage import FileSystemStorage

_TEMPORARY = ".new"  # a killed process may leave one behind, which the clean-up deletes as an orphan


class BlobFolder(FileSystemStorage):
    """Django's file storage with synced, atomic writes: 0600 files in 0700 folders of two hex digits."""

    def path(self, name: str) -> str:
        return super().path(os.path.join(name[:2], name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Return the blobs of all folders. `path` is ignored."""
        root = Path(self.location)
        return [], [file.name for file in root.glob("??/*") if file.is_file()]

    def _save(self, name: str, content: "File[bytes]") -> str:
        target = Path(self.path(name))
        self._make_folder(target.parent)
        temporary = target.with_name(f"{name}{_TEMPORARY}")
        try:
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)
        return name

    def _make_folder(self, folder: Path) -> None:
        if folder.is_dir():
            return
        Path(self.location).mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
