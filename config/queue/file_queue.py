"""The file queues of the embedded set-up: kombu's file transport, safe for several processes and fast when full.

kombu 5.7 writes a message under its final name, so a reader can find half a message and crash. It lists and sorts one
folder of all queues for each message, so a full queue slows down readers of empty ones. It also truncates its routing
files while it rewrites them. Here each queue has a folder of its own.
kombu's documentation names the methods that a virtual channel implements: `_get`, `_put`, `_size` and `_purge`.
"""

import contextlib
import os
import time
import uuid
from collections import deque
from pathlib import Path
from queue import Empty
from typing import Any

import structlog
from django.conf import settings
from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps

from config.queue import unreadable

MAX_WAIT_SECONDS = 0.2
MAX_MESSAGE_BYTES = 1024 * 1024  # messages have some hundred bytes; a huge file would use up the memory
_MESSAGE = ".msg"

log = structlog.get_logger()


class Channel(unreadable.Careful, filesystem.Channel):
    """A channel without routing tables: every queue has an exchange of the same name."""

    supports_fanout = False  # otherwise kombu writes a routing table

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._found: dict[str, deque[str]] = {}
        self._stuck: set[str] = set()  # unreadable files that cannot be moved either
        super().__init__(*args, **kwargs)

    def get_table(self, exchange: str) -> list[Any]:
        return [(exchange, "", exchange)]

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # two names in kombu
        """Write to a hidden file, then rename it, so that readers find complete messages only.

        The content is on the disk before the name: after a power cut, a file with a name and no content was found.
        A queue that already has WAKE_UPS_KEPT messages gets no more; the sweep finds their rows.
        """
        hidden = os.path.join(self.data_folder_out, queue, f".{uuid.uuid4()}")
        try:
            folder = self._folder(queue)
            if len(self._names(queue)) >= settings.WAKE_UPS_KEPT:
                return
            with open(hidden, "w") as file:
                file.write(dumps(payload))
                file.flush()
                os.fdatasync(file.fileno())
            os.rename(hidden, os.path.join(folder, _new_name()))
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(hidden)  # otherwise each message would leave a file on a full disk
            raise ChannelError(f"cannot add to the queue: {error.strerror}") from error

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """Return the oldest message. If several readers find it, the one that removes the file gets it."""
        found = self._found.setdefault(queue, deque())
        if not found:
            found.extend(sorted(self._names(queue)))
        while found:
            path = os.path.join(self.data_folder_in, queue, found.popleft())
            try:
                message = unreadable.parse(_content(path))
                os.unlink(path)
            except FileNotFoundError:
                continue
            except (unreadable.UnreadableMessage, OSError) as error:
                self._move_aside(queue, path, error)
                continue
            return message
        raise Empty

    def set_aside(self, queue: str, raw: bytes, reason: str) -> None:
        unreadable.note(queue, reason)
        with contextlib.suppress(OSError):
            Path(self._folder(unreadable.QUEUE), _new_name()).write_bytes(raw)

    def _move_aside(self, queue: str, path: str, error: Exception) -> None:
        reason = error.strerror or "" if isinstance(error, OSError) else str(error)
        unreadable.note(queue, reason)
        try:
            os.rename(path, os.path.join(self._folder(unreadable.QUEUE), _new_name()))
        except FileNotFoundError:
            pass  # another reader has moved it
        except OSError:
            self._stuck.add(path)

    def _folder(self, queue: str) -> str:
        """Return the folder of a queue, and create it if needed. Raises OSError if its parent folder is missing."""
        folder = os.path.join(self.data_folder_out, queue)
        if not os.path.isdir(folder):
            with contextlib.suppress(FileExistsError):  # another process has just made it
                os.mkdir(folder)
        return folder

    def _size(self, queue: str) -> int:
        return len(self._names(queue))

    def _purge(self, queue: str) -> int:
        count = 0
        for name in self._names(queue):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.data_folder_in, queue, name))
                count += 1
        return count

    def _names(self, queue: str) -> list[str]:
        """Return the names of complete messages. Raises OSError if the folder of all queues is missing."""
        folder = os.path.join(self.data_folder_in, queue)
        try:
            return [
                name
                for name in os.listdir(folder)
                if name.endswith(_MESSAGE) and os.path.join(folder, name) not in self._stuck
            ]
        except OSError as error:
            if os.path.lexists(folder) and not os.path.isdir(folder):  # a file or a broken link
                self._move_aside(queue, folder, error)  # the other queues of the reader must not wait for this one
            elif isinstance(error, FileNotFoundError):
                os.stat(self.data_folder_in)
            else:
                raise
            return []


class Transport(filesystem.Transport):
    Channel = Channel
    after_error_seconds = 5.0  # until the next try

    def drain_events(self, connection: Any, timeout: float | None = None, **kwargs: Any) -> None:
        """Return often, because a worker checks between two calls whether it must stop. Retry after any error."""
        try:
            super().drain_events(connection, timeout=min(timeout or MAX_WAIT_SECONDS, MAX_WAIT_SECONDS))
        except TimeoutError:
            raise
        except Exception as error:  # a worker that ended would delay all rows of its kind
            log.error("queue.not_read", exc_info=error)
            time.sleep(self.after_error_seconds)


def _new_name() -> str:
    return f"{time.time_ns():020d}_{uuid.uuid4().hex}{_MESSAGE}"


def _content(path: str) -> bytes:
    """Read a file. A pipe under a message's name is empty, and does not keep its reader waiting.

    Raises OSError, also for a link: one that leads nowhere would look like a message that another reader has taken.
    Raises Unreadable for a file that is larger than any message.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "rb") as file:
        content = file.read(MAX_MESSAGE_BYTES + 1)
    if len(content) > MAX_MESSAGE_BYTES:
        raise unreadable.UnreadableMessage("it is larger than any message")
    return content
