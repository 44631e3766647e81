"""SQLite writers wait for a lock, but not for ended processes or threads that do not write."""

import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler

from config.databases.sqlite.base import LOCK_SUFFIX, DatabaseWrapper, WriteLock, write_lock_at
from tests.servers import ROOT, wait_until

LONG = 30  # seconds, for steps that normally take no time
SHORT = 0.2

HOLD = """
import sys, time
from config.databases.sqlite.base import WriteLock
WriteLock(sys.argv[1]).acquire(1)
print("taken", flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "write-lock"


@pytest.fixture
def database(tmp_path: Path, django_db_blocker) -> Iterator[ConnectionHandler]:
    """Create a database file for this test only."""
    handler = open_database(tmp_path / "own.sqlite3")
    with django_db_blocker.unblock():
        with handler["default"].cursor() as cursor:
            cursor.execute("PRAGMA journal_mode=WAL")
            cursor.execute("CREATE TABLE counter (number integer)")
            cursor.execute("INSERT INTO counter VALUES (0)")
        yield handler
        handler.close_all()


def open_database(name: Path, timeout: float = LONG) -> ConnectionHandler:
    """Return connections, one for each thread."""
    options = {"transaction_mode": "IMMEDIATE", "timeout": timeout}
    return ConnectionHandler({"default": {"ENGINE": "config.databases.sqlite", "NAME": str(name), "OPTIONS": options}})


def begin(connection: DatabaseWrapper) -> None:
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def is_free(path: Path) -> bool:
    with path.open("a") as file:  # closing it releases the lock
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def take(path: Path) -> subprocess.Popen[str]:
    """Start a process that takes the lock."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, path], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "taken\n"
    return holder


def add_ones(database: ConnectionHandler, times: int) -> None:
    """Read a number and write one more. Without the lock, concurrent increments would be lost."""
    connection = database["default"]
    for _ in range(times):
        begin(connection)
        with connection.cursor() as cursor:
            cursor.execute("SELECT number FROM counter")
            number = cursor.fetchone()[0]
            cursor.execute("UPDATE counter SET number = %s", [number + 1])
        connection.commit()
        connection.set_autocommit(True)
    connection.close()


def test_many_threads_write_one_after_the_other(database):
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(add_ones, database, 50) for _ in range(8)]:
            done.result()

    with database["default"].cursor() as cursor:
        assert cursor.execute("SELECT number FROM counter").fetchone() == (400,)


def test_another_process_waits_until_the_lock_is_released(path):
    lock = WriteLock(str(path))
    lock.acquire(LONG)
    assert not is_free(path)

    lock.release()

    assert is_free(path)


def test_another_thread_waits_until_the_lock_is_released(path):
    lock, came = WriteLock(str(path)), threading.Event()
    lock.acquire(LONG)

    def come() -> None:
        lock.acquire(LONG)
        came.set()
        lock.release()

    waiting = threading.Thread(target=come)
    waiting.start()
    assert not came.wait(SHORT)
    lock.release()
    waiting.join(LONG)

    assert came.is_set()
    assert is_free(path)


def test_no_thread_releases_the_lock_of_another(path):
    lock = WriteLock(str(path))
    lock.acquire(LONG)

    stranger = threading.Thread(target=lock.release)
    stranger.start()
    stranger.join()

    assert not is_free(path)
    lock.release()


@pytest.mark.parametrize("end", ["commit", "rollback", "close"])
def test_a_transaction_has_the_lock_until_its_end(database, end):
    connection = database["default"]
    file = Path(connection.settings_dict["NAME"] + LOCK_SUFFIX)

    begin(connection)
    assert not is_free(file)
    getattr(connection, end)()

    assert is_free(file)


def test_a_relative_name_is_the_same_file(tmp_path, database, monkeypatch):
    monkeypatch.chdir(tmp_path)
    connection = open_database(Path("own.sqlite3"))["default"]

    begin(connection)

    assert not is_free(tmp_path / f"own.sqlite3{LOCK_SUFFIX}")
    connection.rollback()
    connection.close()


def test_after_the_time_out_sqlite_admits_a_writer_if_no_other_writes(tmp_path, database):
    name = tmp_path / "own.sqlite3"
    holder = take(Path(f"{name}{LOCK_SUFFIX}"))
    connection = open_database(name, timeout=SHORT)["default"]

    begin(connection)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE counter SET number = 7")
    connection.commit()

    assert cursor.rowcount == 1
    holder.kill()
    holder.communicate()
    connection.close()


@pytest.mark.parametrize("is_locked", [True, False])
def test_after_the_time_out_sqlite_rejects_a_writer_if_another_writes(tmp_path, database, is_locked):
    name = tmp_path / "own.sqlite3"
    file = Path(f"{name}{LOCK_SUFFIX}")
    writer = sqlite3.connect(name, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    other = write_lock_at(str(file)) if is_locked else None
    connection = open_database(name, timeout=SHORT)["default"]

    with ThreadPoolExecutor(1) as pool:  # the lock belongs to another thread
        pool.submit(other.acquire, LONG).result() if other else None
        with pytest.raises(OperationalError, match="database is locked"):
            begin(connection)
        pool.submit(other.release).result() if other else None

    assert is_free(file)  # otherwise all others would wait for a thread that writes nothing
    assert connection.cursor().execute("PRAGMA busy_timeout").fetchone() == (SHORT * 1000,)
    writer.close()


def test_the_lock_of_a_killed_process_is_released(path):
    holder = take(path)
    assert not is_free(path)

    holder.kill()
    holder.communicate()

    wait_until(lambda: is_free(path), 10)


def test_a_fork_does_not_have_the_lock_of_its_parent(tmp_path, database):
    connection, file = database["default"], tmp_path / f"own.sqlite3{LOCK_SUFFIX}"
    begin(connection)

    child = os.fork()
    if child == 0:
        found = 2
        try:
            connection._release_write_lock()
            write_lock_at(str(file)).acquire(SHORT)
            write_lock_at(str(file)).release()
            found = 1 if is_free(file) else 0
        finally:
            os._exit(found)  # otherwise the fork would continue with the suite
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert not is_free(file)
    connection.rollback()
    assert is_free(file)


def test_an_interrupted_wait_leaves_no_lock(path):
    """Interrupt the wait with a signal, like a worker's time limit."""

    class OutOfTime(BaseException):
        pass

    def out_of_time(*_: object) -> None:
        raise OutOfTime

    lock, holder = WriteLock(str(path)), take(path)
    before = signal.signal(signal.SIGALRM, out_of_time)
    try:
        signal.setitimer(signal.ITIMER_REAL, SHORT)
        with pytest.raises(OutOfTime):
            lock.acquire(LONG)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    lock.release()
    holder.kill()
    holder.communicate()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(lock.acquire, LONG).result(LONG)
        pool.submit(lock.release).result()
    wait_until(lambda: is_free(path), 10)


def test_without_a_lock_file_threads_still_wait_for_each_other(tmp_path):
    lock = WriteLock(str(tmp_path / "no-such-folder" / "write-lock"))

    lock.acquire(LONG)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lock.acquire, SHORT).result()
        assert lock._owner == threading.get_ident()
    lock.release()
