"""Who writes to SQLite waits in a line, and never for somebody who is gone or not there to write."""

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

from config.sqlite.base import SUFFIX, DatabaseWrapper
from config.sqlite.turn import Turn, turn_of
from tests.servers import ROOT, wait_until

LONG = 30  # seconds; for what comes at once where all is well
SHORT = 0.2

HOLD = """
import sys, time
from config.sqlite.turn import Turn
Turn(sys.argv[1]).take(1)
print("taken", flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "turn"


@pytest.fixture
def database(tmp_path: Path, django_db_blocker) -> Iterator[ConnectionHandler]:
    """A file of its own, not the suite's."""
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
    return ConnectionHandler({"default": {"ENGINE": "config.sqlite", "NAME": str(name), "OPTIONS": options}})


def begin(connection: DatabaseWrapper) -> None:
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def is_free(path: Path) -> bool:
    with path.open("a") as file:  # whose end gives up what was taken
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def hold(path: Path) -> subprocess.Popen[str]:
    """Start a process that has the turn."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, path], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "taken\n"
    return holder


def add_ones(database: ConnectionHandler, times: int) -> None:
    """Read, and write one more: what is lost where two do so at once."""
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


def test_another_process_waits_until_the_turn_is_given_up(path):
    turn = Turn(str(path))
    turn.take(LONG)
    assert not is_free(path)

    turn.give_up()

    assert is_free(path)


def test_another_thread_waits_until_the_turn_is_given_up(path):
    turn, came = Turn(str(path)), threading.Event()
    turn.take(LONG)

    def come() -> None:
        turn.take(LONG)
        came.set()
        turn.give_up()

    waiting = threading.Thread(target=come)
    waiting.start()
    assert not came.wait(SHORT)
    turn.give_up()
    waiting.join(LONG)

    assert came.is_set()
    assert is_free(path)


def test_nobody_gives_up_the_turn_of_another_thread(path):
    turn = Turn(str(path))
    turn.take(LONG)

    stranger = threading.Thread(target=turn.give_up)
    stranger.start()
    stranger.join()

    assert not is_free(path)
    turn.give_up()


@pytest.mark.parametrize("end", ["commit", "rollback", "close"])
def test_a_transaction_has_the_turn_until_its_end(database, end):
    connection = database["default"]
    file = Path(connection.settings_dict["NAME"] + SUFFIX)

    begin(connection)
    assert not is_free(file)
    getattr(connection, end)()

    assert is_free(file)


def test_a_name_without_its_folder_is_the_same_file(tmp_path, database, monkeypatch):
    monkeypatch.chdir(tmp_path)
    connection = open_database(Path("own.sqlite3"))["default"]

    begin(connection)

    assert not is_free(tmp_path / f"own.sqlite3{SUFFIX}")
    connection.rollback()
    connection.close()


def test_who_waits_for_too_long_asks_sqlite_which_lets_in_where_nobody_writes(tmp_path, database):
    name = tmp_path / "own.sqlite3"
    holder = hold(Path(f"{name}{SUFFIX}"))
    connection = open_database(name, timeout=SHORT)["default"]

    begin(connection)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE counter SET number = 7")
    connection.commit()

    assert cursor.rowcount == 1
    holder.kill()
    holder.communicate()
    connection.close()


@pytest.mark.parametrize("has_turn", [True, False])
def test_and_which_refuses_where_somebody_does(tmp_path, database, has_turn):
    name = tmp_path / "own.sqlite3"
    file = Path(f"{name}{SUFFIX}")
    writer = sqlite3.connect(name, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    other = turn_of(str(file)) if has_turn else None
    connection = open_database(name, timeout=SHORT)["default"]

    with ThreadPoolExecutor(1) as pool:  # another thread's is not ours
        pool.submit(other.take, LONG).result() if other else None
        with pytest.raises(OperationalError, match="database is locked"):
            begin(connection)
        pool.submit(other.give_up).result() if other else None

    assert is_free(file)  # or all others would wait for one that writes nothing
    assert connection.cursor().execute("PRAGMA busy_timeout").fetchone() == (SHORT * 1000,)
    writer.close()


def test_a_killed_holder_gives_it_up(path):
    holder = hold(path)
    assert not is_free(path)

    holder.kill()
    holder.communicate()

    wait_until(lambda: is_free(path), 10)


def test_a_fork_has_nothing_of_its_parents_turn(tmp_path, database):
    connection, file = database["default"], tmp_path / f"own.sqlite3{SUFFIX}"
    begin(connection)

    child = os.fork()
    if child == 0:
        found = 2
        try:
            connection._give_up_turn()
            turn_of(str(file)).take(SHORT)
            turn_of(str(file)).give_up()
            found = 1 if is_free(file) else 0
        finally:
            os._exit(found)  # or it would go on with the suite
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert not is_free(file)
    connection.rollback()
    assert is_free(file)


def test_a_wait_that_is_broken_off_leaves_nothing_behind(path):
    """As by a worker's time limit, which is a signal."""

    class OutOfTime(BaseException):
        pass

    def out_of_time(*_: object) -> None:
        raise OutOfTime

    turn, holder = Turn(str(path)), hold(path)
    before = signal.signal(signal.SIGALRM, out_of_time)
    try:
        signal.setitimer(signal.ITIMER_REAL, SHORT)
        with pytest.raises(OutOfTime):
            turn.take(LONG)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    turn.give_up()
    holder.kill()
    holder.communicate()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(turn.take, LONG).result(LONG)
        pool.submit(turn.give_up).result()
    wait_until(lambda: is_free(path), 10)


def test_where_no_file_can_be_made_the_threads_still_stand_in_line(tmp_path):
    turn = Turn(str(tmp_path / "no-such-folder" / "turn"))

    turn.take(LONG)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(turn.take, SHORT).result()
        assert turn._first == threading.get_ident()
    turn.give_up()
