"""The queues of the embedded default: kombu's file transport, made safe for several processes and fast when it is full.

kombu 5.7 writes a message under its final name, where a reader can find half of it and fall over; it lists and sorts
the folder of all queues for each message, so that a full queue slows the readers of the empty ones; and it keeps its
routing in files that are cut to nothing while they are rewritten. Here each queue has a folder of its own.
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
from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps

from config import unreadable

MAX_WAIT_SECONDS = 0.2
AFTER_FAULT_SECONDS = 5.0  # until the next look where the folder cannot be read
BUSY_SECONDS = 0.005  # until the next look while messages keep coming
_MESSAGE = ".msg"

log = structlog.get_logger()


class Channel(unreadable.Careful, filesystem.Channel):
    """Every queue has the exchange of its own name, so there is no routing to keep."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._found: dict[str, deque[str]] = {}
        self._stuck: set[str] = set()  # unreadable files that cannot be moved either
        super().__init__(*args, **kwargs)

    def get_table(self, exchange: str) -> list[Any]:
        return [(exchange, "", exchange)]

    def _queue_bind(self, *args: Any) -> None:
        pass

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # two names in kombu
        """Write under a name no reader looks for, then rename: a message is there whole or not at all.

        The content is on the disk before the name: after a power cut, a file with a name and no content was found.
        """
        hidden = os.path.join(self.data_folder_out, queue, f".{uuid.uuid4()}")
        try:
            folder = self._folder(queue)
            with open(hidden, "w") as file:
                file.write(dumps(payload))
                file.flush()
                os.fdatasync(file.fileno())
            os.rename(hidden, os.path.join(folder, _new_name()))
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(hidden)  # or a full disk would have one more for each message
            raise ChannelError(f"cannot add to the queue: {error.strerror}") from error

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """Return the oldest message. Of several readers the one that removes the file has it."""
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
            except (unreadable.Unreadable, OSError) as error:
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
        """Return the folder of a queue, made where it is missing. Raises OSError where the folder of all is gone."""
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
        """Return the messages that are whole. Raises OSError where the folder of all queues is gone."""
        folder = os.path.join(self.data_folder_in, queue)
        try:
            return [
                name
                for name in os.listdir(folder)
                if name.endswith(_MESSAGE) and os.path.join(folder, name) not in self._stuck
            ]
        except FileNotFoundError:
            os.stat(self.data_folder_in)
            return []
        except NotADirectoryError as error:  # other queues of the pool must not wait for this one
            self._move_aside(queue, folder, error)
            return []


class Transport(filesystem.Transport):
    """Runs in Celery's event loop, in which each process of a worker has a pipe of its own.

    Without the loop they share one queue and its lock: a process that is killed takes the lock along, and the whole
    worker hangs although the process is replaced.
    """

    Channel = Channel
    implements = filesystem.Transport.implements.extend(asynchronous=True)

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        def look() -> None:
            wait: Any = AFTER_FAULT_SECONDS
            try:
                wait = BUSY_SECONDS if self._take_what_is_there() else self.polling_interval
            except Exception as error:  # whatever it is, the pool must look again
                log.error("queue.not_read", exc_info=error)
            finally:
                loop.call_later(wait, look)

        look()

    def drain_events(self, connection: Any, timeout: float | None = None, **kwargs: Any) -> None:
        """Come back often: a worker looks between two calls whether it has been asked to stop."""
        super().drain_events(connection, timeout=min(timeout or MAX_WAIT_SECONDS, MAX_WAIT_SECONDS))

    def _take_what_is_there(self) -> bool:
        """Hand on messages until there are none, or the worker has enough. Says whether there was one."""
        was_there = False
        with contextlib.suppress(Empty):
            while self.cycle is not None:
                self.cycle.get(self._deliver)
                was_there = True
        return was_there


def _new_name() -> str:
    return f"{time.time_ns():020d}_{uuid.uuid4().hex}{_MESSAGE}"


def _content(path: str) -> bytes:
    """Read a file. A pipe under a message's name is empty, and does not keep its reader waiting. Raises OSError."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        return file.read()
