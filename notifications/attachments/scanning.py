"""Scan files for viruses with clamd. A file without a clear result is rejected.

The public clients have a time-out for each read but none for the whole call, none for the connection, and return empty
or `ERROR` answers without an error. Source: docs/reference/files.md §5; clamd(8), INSTREAM.
"""

import contextlib
import re
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import structlog
from django.conf import settings

from config.outbound.deadline import Deadline
from notifications.errors import FileInfected

log = structlog.get_logger()

# The test string that every scanner detects, in two halves, so that scanners do not quarantine this file.
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-" + rb"STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
NOBODY = "none"

MOST_CONNECTIONS = 4  # of one request at the same time
_CHUNK_BYTES = 64 * 1024
_MAX_ANSWER_BYTES = 4096
_BACKLOG_SECONDS = 0.05
_CLEAN = b"stream: OK"
_INFECTED = re.compile(rb"stream: (?P<name>.+) FOUND", re.DOTALL)


class NoVerdict(Exception):
    """The scanner is unavailable, too slow, or gave an unknown answer. The text is for the log."""


def check(contents: Sequence[bytes]) -> None:
    """Raise FileInfected if a file has a virus, or NoVerdict if the result for a file is unknown."""
    if settings.SCANNER == NOBODY:
        found: list[str | NoVerdict | None] = ["Eicar" if EICAR in data else None for data in contents]
    else:
        found = _ask_for_all(contents)
    if infected := [name for name in found if isinstance(name, str)]:
        log.warning("attachment.infected", signatures=infected)
        raise FileInfected
    for failure in found:
        if isinstance(failure, NoVerdict):
            raise failure


def version() -> str:
    """Return the version of clamd and its signatures. Raises NoVerdict."""
    deadline = Deadline(settings.SCAN_TIMEOUT_SECONDS)
    with _failures_as_no_verdict(), _connect(deadline) as connection:
        deadline.limit(connection)
        connection.sendall(b"zVERSION\0")
        return _read_answer(connection, deadline).decode(errors="replace")


def _ask_for_all(contents: Sequence[bytes]) -> list[str | NoVerdict | None]:
    """Return for each file the name of its virus, None if it is clean, or the failure of its scan."""
    deadline = Deadline(settings.SCAN_TIMEOUT_SECONDS)
    pool = ThreadPoolExecutor(min(MOST_CONNECTIONS, len(contents)), thread_name_prefix="scan")
    asked = [pool.submit(_verdict, data, deadline) for data in contents]
    wait(asked, settings.SCAN_TIMEOUT_SECONDS)
    pool.shutdown(wait=False, cancel_futures=True)  # do not wait for a slow DNS lookup
    return [each.result() if each.done() and not each.cancelled() else NoVerdict("too slow") for each in asked]


def _verdict(data: bytes, deadline: Deadline) -> str | NoVerdict | None:
    try:
        return _scan(data, deadline)
    except NoVerdict as failure:
        return failure


def _scan(data: bytes, deadline: Deadline) -> str | None:
    """Return the name of the virus, or None for a clean file. Raises NoVerdict."""
    with _failures_as_no_verdict(), _connect(deadline) as connection:
        is_sent = _send(connection, data, deadline)
        answer = _read_answer(connection, deadline)
    if answer == _CLEAN and is_sent:
        return None
    if match := _INFECTED.fullmatch(answer):
        return match["name"].decode(errors="replace")
    raise NoVerdict(f"answered {answer[:200]!r}" if is_sent else f"stopped listening: {answer[:200]!r}")


def _connect(deadline: Deadline) -> socket.socket:
    _, kind, place = settings.SCANNER.split(":", 2)
    if kind == "tcp":
        host, _, port = place.rpartition(":")
        return socket.create_connection((host, int(port)), deadline.seconds_left())
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        while True:
            deadline.limit(connection)
            try:
                connection.connect(place)
            except BlockingIOError:  # the backlog of the socket is full
                time.sleep(_BACKLOG_SECONDS)
            else:
                return connection
    except BaseException:
        connection.close()
        raise


def _send(connection: socket.socket, data: bytes, deadline: Deadline) -> bool:
    """Send the file in pieces. Return False if clamd closed the connection; its answer may explain why."""
    pieces = [data[start : start + _CHUNK_BYTES] for start in range(0, len(data), _CHUNK_BYTES)]
    messages = [b"zINSTREAM\0", *(len(piece).to_bytes(4, "big") + piece for piece in pieces), bytes(4)]
    for message in messages:
        deadline.limit(connection)
        try:
            connection.sendall(message)
        except (BrokenPipeError, ConnectionResetError):
            return False
    return True


def _read_answer(connection: socket.socket, deadline: Deadline) -> bytes:
    """Return the answer before the NUL. Raises NoVerdict if 4 KiB contain none."""
    answer = b""
    while b"\0" not in answer:
        deadline.limit(connection)
        received = connection.recv(_MAX_ANSWER_BYTES)
        answer += received
        if not received or len(answer) > _MAX_ANSWER_BYTES:
            raise NoVerdict(f"cut short: {answer[:200]!r}")
    return answer.partition(b"\0")[0]


@contextlib.contextmanager
def _failures_as_no_verdict() -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise NoVerdict("too slow") from error
    except OSError as error:
        raise NoVerdict(type(error).__name__) from error
