"""Call the child process that reads files. Its errors become sentences for the person."""

from collections.abc import Callable
from threading import Event
from typing import TypeVar

import structlog

from config import limited
from datasets.imports import files
from datasets.imports.files import ImportFileDamaged
from datasets.imports.reading import work_files
from datasets.imports.reading.cells import UnreadableFile
from datasets.imports.reading.settings import WrongSettings
from datasets.models import DataImport

READ_SECONDS = 1_800
LIMITS = limited.ProcessLimits(memory_bytes=1024 * limited.MIB, cpu_seconds=READ_SECONDS, seconds=READ_SECONDS)
_DAMAGED = "The file is missing in the file store, or damaged. Import it again."
_TOO_LARGE = "The file needs more memory than an import may use. Split it, or save it as CSV."
_NOT_READ = "The file could not be read. It may be damaged: open it in the program it comes from, and save it again."
_TOO_LONG = "The file takes longer than an import may. Split it."

log = structlog.get_logger()
_children = limited.Processes(number=1)
Result = TypeVar("Result")


class ImportUnreadable(Exception):
    """The import fails, and would fail again. The message is for the person."""


def fetch(run: DataImport) -> None:
    """Put the decrypted file into the working folder. Raises ImportUnreadable, OSError if the file store is away."""
    path = files.work_folder(run.pk) / work_files.FILE
    try:
        if not path.exists():
            files.fetch(run, path)
    except ImportFileDamaged as error:
        raise ImportUnreadable(_DAMAGED) from error


def run_child(run: DataImport, ended: Event, function: Callable[..., Result], *arguments: object) -> Result:
    """Run a function of the child process over the fetched file. Uses no database.

    ended: set it to end the process. Raises ImportUnreadable, CallEnded.
    """
    folder = files.work_folder(run.pk)
    paths = (str(folder / work_files.FILE), str(folder))
    try:
        return _children.run(function, *paths, *arguments, limits=LIMITS, is_unwanted=ended.is_set)
    except limited.CallEnded:
        raise
    except (UnreadableFile, WrongSettings) as error:
        raise ImportUnreadable(str(error)) from error
    except limited.TookTooLong as error:
        raise ImportUnreadable(_TOO_LONG) from error
    except limited.LimitExceeded as error:
        raise ImportUnreadable(_TOO_LARGE) from error
    except Exception as error:  # a reader may raise anything for a damaged file
        log.error("import.failed", exc_info=error)
        raise ImportUnreadable(_NOT_READ) from error
