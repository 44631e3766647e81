"""Is there a virus in it? Asked of clamd over its own protocol; anything but a clear "no" keeps the file out.

The public clients time out per read instead of in all, connect without any time-out, and hand back an empty or
`ERROR` answer without an error. Source: Files sent by email §5; clamd(8), INSTREAM.
"""

import contextlib
import re
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import structlog
from django.conf import settings

from notifications.attachments.refusals import FileInfected

log = structlog.get_logger()

# The harmless string every scanner knows, in two halves: in one piece it would have checkouts quarantined.
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-" + rb"STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
NOBODY = "none"

MOST_CONNECTIONS = 4  # of one request at once, as many as the scanner has threads
_CHUNK_BYTES = 64 * 1024
_MAX_ANSWER_BYTES = 4096
_BACKLOG_SECONDS = 0.05
_CLEAN = b"stream: OK"
_INFECTED = re.compile(rb"stream: (?P<name>.+) FOUND", re.DOTALL)


class NoVerdict(Exception):
    """The scanner is away, slow, or says something else than yes or no; the text is for the log."""


def check(contents: Sequence[bytes]) -> None:
    """Return where every file is clean. Raises FileInfected where one is not, else NoVerdict where one is not known."""
    found = [_scan_for_eicar(data) for data in contents] if settings.SCANNER == NOBODY else _ask_for_all(contents)
    if infected := [name for name in found if isinstance(name, str)]:
        log.warning("attachment.infected", signatures=infected)
        raise FileInfected
    for failure in found:
        if isinstance(failure, NoVerdict):
            raise failure


def version() -> str:
    """Return what clamd says of itself and its signatures. Raises NoVerdict."""
    deadline = time.monotonic() + settings.SCAN_TIMEOUT_SECONDS
    with _failures_told(), _connect(deadline) as connection:
        _set_deadline(connection, deadline)
        connection.sendall(b"zVERSION\0")
        return _read_answer(connection, deadline).decode(errors="replace")


def _scan_for_eicar(data: bytes) -> str | None:
    return "Eicar" if EICAR in data else None


def _ask_for_all(contents: Sequence[bytes]) -> list[str | NoVerdict | None]:
    """Return for each file the name of what is in it, None where it is clean, or why nobody knows."""
    deadline = time.monotonic() + settings.SCAN_TIMEOUT_SECONDS
    pool = ThreadPoolExecutor(min(MOST_CONNECTIONS, len(contents)), thread_name_prefix="scan")
    asked = [pool.submit(_verdict, data, deadline) for data in contents]
    wait(asked, max(0.0, deadline - time.monotonic()))
    pool.shutdown(wait=False, cancel_futures=True)  # what looking up a name still holds is not waited for
    return [each.result() if each.done() and not each.cancelled() else NoVerdict("too slow") for each in asked]


def _verdict(data: bytes, deadline: float) -> str | NoVerdict | None:
    try:
        return _scan(data, deadline)
    except NoVerdict as failure:
        return failure


def _scan(data: bytes, deadline: float) -> str | None:
    """Return the name of what was found, None for a clean file. Raises NoVerdict."""
    with _failures_told(), _connect(deadline) as connection:
        is_sent = _send(connection, data, deadline)
        answer = _read_answer(connection, deadline)
    if answer == _CLEAN and is_sent:
        return None
    if match := _INFECTED.fullmatch(answer):
        return match["name"].decode(errors="replace")
    raise NoVerdict(f"answered {answer[:200]!r}" if is_sent else f"stopped listening: {answer[:200]!r}")


def _connect(deadline: float) -> socket.socket:
    _, kind, place = settings.SCANNER.split(":", 2)
    if kind == "tcp":
        host, _, port = place.rpartition(":")
        return socket.create_connection((host, int(port)), _left(deadline))
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        while True:
            _set_deadline(connection, deadline)
            try:
                connection.connect(place)
            except BlockingIOError:  # a full backlog says "try again" instead of waiting
                time.sleep(_BACKLOG_SECONDS)
            else:
                return connection
    except BaseException:
        connection.close()
        raise


def _send(connection: socket.socket, data: bytes, deadline: float) -> bool:
    """Send the file in pieces. False where the peer stopped listening: its reason may be there to read."""
    pieces = [data[start : start + _CHUNK_BYTES] for start in range(0, len(data), _CHUNK_BYTES)]
    messages = [b"zINSTREAM\0", *(len(piece).to_bytes(4, "big") + piece for piece in pieces), bytes(4)]
    for message in messages:
        _set_deadline(connection, deadline)
        try:
            connection.sendall(message)
        except (BrokenPipeError, ConnectionResetError):
            return False
    return True


def _read_answer(connection: socket.socket, deadline: float) -> bytes:
    """Return what stands before the NUL. Raises NoVerdict where none comes within 4 KiB."""
    answer = b""
    while b"\0" not in answer:
        _set_deadline(connection, deadline)
        received = connection.recv(_MAX_ANSWER_BYTES)
        answer += received
        if not received or len(answer) > _MAX_ANSWER_BYTES:
            raise NoVerdict(f"cut short: {answer[:200]!r}")
    return answer.partition(b"\0")[0]


def _set_deadline(connection: socket.socket, deadline: float) -> None:
    """Give the next call what is left: a time-out of its own each would let a dripping peer go on for ever."""
    connection.settimeout(_left(deadline))


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise NoVerdict("too slow")
    return left


@contextlib.contextmanager
def _failures_told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NoVerdict(type(error).__name__) from error
