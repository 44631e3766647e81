"""A function that needs too much ends alone: its caller gets an error, and other calls continue."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from config import limited
from config.limited import AllBusy, CallEnded, ProcessLimits, TookTooLong, TooLarge
from config.limited.child import Life
from config.limited.limits import MIB
from config.limited.processes import Processes
from tests.config import limited_broken
from tests.config import limited_functions as functions
from tests.servers import ROOT, wait_until

LIMITS = ProcessLimits(cpu_seconds=10, seconds=60)
SHORT = ProcessLimits(cpu_seconds=1, seconds=60)
RUN = (
    "from config import limited; from tests.config import limited_functions; "
    "print(limited.run({what}, limits=limited.ProcessLimits(cpu_seconds=9, seconds=60)), flush=True)"
)


def test_a_result_comes_back():
    assert limited.run(functions.double, 21, limits=LIMITS) == 42


def test_files_are_read_and_written():
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        source.write(b"abc")
        source.seek(0)

        assert limited.run(functions.upper, limits=LIMITS, files=(source, target)) == 3

        target.seek(0)
        assert target.read() == b"ABC"


def test_an_error_of_the_function_is_raised():
    with pytest.raises(functions.Refused, match="no such sheet"):
        limited.run(functions.refuse, "no such sheet", limits=LIMITS)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(functions.take_bytes, (500 * MIB,)), (functions.abort, ()), (functions.recurse, (0,))],
    ids=["memory", "abort", "recursion"],
)
def test_a_call_that_needs_too_much_memory_is_too_large(function, arguments):
    with pytest.raises(TooLarge):
        limited.run(function, *arguments, limits=LIMITS)

    assert limited.run(functions.double, 1, limits=LIMITS) == 2


@pytest.mark.parametrize(
    ("function", "arguments", "limits"),
    [
        (functions.compute_endlessly, (), SHORT),
        (functions.wait, (60,), ProcessLimits(cpu_seconds=10, seconds=0.2)),
    ],
    ids=["processor time", "time"],
)
def test_a_call_that_needs_too_much_time_took_too_long(function, arguments, limits):
    with pytest.raises(TookTooLong):
        limited.run(function, *arguments, limits=limits)

    assert limited.run(functions.double, 1, limits=LIMITS) == 2


def test_the_time_of_earlier_calls_does_not_count():
    for _ in range(3):
        limited.run(functions.double, 1, limits=SHORT)

    assert limited.run(functions.take_bytes, 100 * MIB, limits=SHORT) == 100 * MIB


def test_a_child_that_the_system_ends_is_too_large_for_this_call_alone():
    with ThreadPoolExecutor(1) as pool, tempfile.TemporaryFile() as begun:
        process_id = limited.run(functions.process_id, limits=LIMITS)
        call = pool.submit(limited.run, functions.begin_and_wait, limits=LIMITS, files=[begun])
        wait_until(lambda: os.fstat(begun.fileno()).st_size == 1)

        os.kill(process_id, signal.SIGKILL)

        with pytest.raises(TooLarge):
            call.result()
    assert limited.run(functions.double, 1, limits=LIMITS) == 2


def test_a_call_that_nobody_wants_any_more_ends_with_its_process():
    ended = threading.Event()
    with ThreadPoolExecutor(1) as pool, tempfile.TemporaryFile() as begun:
        process_id = limited.run(functions.process_id, limits=LIMITS)
        one = Processes(number=1)
        call = pool.submit(one.run, functions.begin_and_wait, limits=LIMITS, files=[begun], is_unwanted=ended.is_set)
        wait_until(lambda: os.fstat(begun.fileno()).st_size == 1)

        ended.set()

        with pytest.raises(CallEnded):
            call.result()
    assert limited.run(functions.process_id, limits=LIMITS) == process_id
    assert one.run(functions.double, 1, limits=LIMITS, is_unwanted=threading.Event().is_set) == 2


def test_a_child_that_was_killed_without_work_does_not_refuse_the_next_call():
    processes = Processes()
    process_id = processes.run(functions.process_id, limits=LIMITS)
    os.kill(process_id, signal.SIGKILL)
    wait_until(lambda: has_ended(process_id))

    assert processes.run(functions.double, 1, limits=LIMITS) == 2


@pytest.mark.parametrize(
    ("function", "arguments", "named"),
    [
        (functions.fail_oddly, ("unread",), "NeedsTwo"),
        (functions.fail_oddly, ("unwritten",), "HasLock"),
        (functions.return_oddly, (), "lock"),
    ],
)
def test_an_answer_that_cannot_be_sent_is_named_and_its_child_stays(function, arguments, named):
    processes = Processes(number=1)
    process_id = processes.run(functions.process_id, limits=LIMITS)

    with pytest.raises(RuntimeError, match=named):
        processes.run(function, *arguments, limits=LIMITS)

    assert processes.run(functions.process_id, limits=LIMITS) == process_id


def test_a_child_without_work_ends_and_the_next_call_starts_another():
    processes = Processes(life=Life(idle_seconds=0.05))
    process_id = processes.run(functions.process_id, limits=LIMITS)
    wait_until(lambda: has_ended(process_id))

    assert processes.run(functions.process_id, limits=LIMITS) != process_id


def has_ended(process_id: int) -> bool:
    """Return whether all threads of a process have ended. The first one is a zombie before the others are gone."""
    try:
        threads = os.listdir(f"/proc/{process_id}/task")
        return len(threads) == 1 and Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_a_child_ends_with_its_parent(tmp_path):
    code = RUN.format(what="limited_functions.process_id") + "; import os; os.abort()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)

    wait_until(lambda: has_ended(int(done.stdout)))


def test_a_child_ends_with_its_parent_in_the_middle_of_a_call(tmp_path):
    noted = tmp_path / "process_id"
    code = RUN.format(what=f"limited_functions.wait_long, {str(noted)!r}")
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    wait_until(lambda: noted.exists() and noted.read_text())
    parent.kill()
    parent.wait()

    wait_until(lambda: has_ended(int(noted.read_text())))


def test_a_forked_process_starts_children_of_its_own():
    of_parent = limited.run(functions.process_id, limits=LIMITS)
    pid = os.fork()
    if not pid:
        os._exit(limited.run(functions.process_id, limits=LIMITS) == of_parent)

    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert limited.run(functions.process_id, limits=LIMITS) == of_parent


def test_a_child_has_neither_django_nor_models():
    code = RUN.format(what="limited_functions.modules")
    names = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert "'config.limited.child'" in names
    assert not [name for name in ("django", "celery", "notifications.models") if f"'{name}'" in names]


def test_three_calls_at_once_use_two_children():
    processes = Processes(number=2)
    with ThreadPoolExecutor(3) as pool:
        used = set(pool.map(lambda _: processes.run(functions.process_id, limits=LIMITS), range(12)))

    assert len(used) <= 2


def test_a_call_waits_for_a_free_child_no_longer_than_its_limit():
    processes = Processes(number=1)
    with ThreadPoolExecutor(1) as pool, tempfile.TemporaryFile() as begun:
        pool.submit(
            processes.run, functions.begin_and_wait, limits=ProcessLimits(cpu_seconds=1, seconds=3), files=[begun]
        )
        wait_until(lambda: os.fstat(begun.fileno()).st_size == 1)

        with pytest.raises(TookTooLong):
            processes.run(functions.double, 1, limits=ProcessLimits(cpu_seconds=1, seconds=0.01))


@pytest.fixture
def busy_processor():
    """Leave this process and its children one processor, which has other work."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    command = [sys.executable, "-c", "print(flush=True)\nwhile True: pass"]
    others = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    for other in others:
        other.stdout.readline()  # it works from now on
    yield
    for other in others:
        other.kill()
        other.communicate()
    os.sched_setaffinity(0, allowed)


def test_a_call_that_got_little_of_the_processor_may_succeed_later(busy_processor):
    processes = Processes()
    processes.run(functions.double, 1, limits=LIMITS)  # starts the child, which gives way to other work then

    with pytest.raises(AllBusy):  # Linux counts a wait only when it is over: 0.1 s of 5
        processes.run(functions.compute_endlessly, limits=ProcessLimits(cpu_seconds=60, seconds=5))


def test_a_call_that_waits_for_something_else_took_too_long(busy_processor):
    processes = Processes()
    processes.run(functions.double, 1, limits=LIMITS)

    with pytest.raises(TookTooLong) as raised:
        processes.run(functions.wait, 60, limits=ProcessLimits(cpu_seconds=60, seconds=1))

    assert raised.type is TookTooLong


def test_a_child_that_cannot_start_is_an_error_of_the_program_and_not_of_the_input():
    with pytest.raises(RuntimeError, match="ended with the code 1"):
        Processes().run(limited_broken.work, limits=LIMITS)
