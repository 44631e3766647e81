"""The supervisor gives programs time to finish, starts those that die again, and stops at a second Ctrl-C."""

import os
import re
import signal
import sys
import time

import pytest

from tests.servers import ROOT, Program, wait_until

# The programs write after all are ready, because earlier output is not shown.
WATCH = """
import os, pathlib, signal, sys, time
from config.management.supervision import Supervisor

said, *names = sys.argv[1:]
said = pathlib.Path(said)

def listen(line, *, is_polite):
    def stop(*_):
        print("done", flush=True)
        sys.exit(0)
    signal.signal(signal.SIGTERM, stop if is_polite else signal.SIG_IGN)
    while not said.exists():
        time.sleep(0.01)
    print(line, os.getpid(), flush=True)
    time.sleep(60)

def polite(): listen("up", is_polite=True)
def stubborn(): listen("deaf", is_polite=False)

def broken():
    print("first")
    print("the reason", flush=True)
    raise SystemExit(3)

def short():
    while not said.exists():
        time.sleep(0.01)
    raise SystemExit(4)

write = lambda line: print(line, flush=True)
say_ready = lambda: (write("ready"), said.touch())
died = lambda child: write(f"{child.name} {child.ending}, again in {child.delay_seconds:g} s")
fallen = Supervisor({name: globals()[name] for name in names}, died=died, show=write).run(lambda: True, say_ready)
write(f"fallen: {fallen and (fallen.name, fallen.ending, list(fallen.last_lines))}")
"""


@pytest.fixture
def watch(tmp_path):
    started: list[Program] = []

    def start(*names: str, code: str = WATCH) -> Program:
        program = Program(sys.executable, "-c", code, str(tmp_path / "said"), *names, log=tmp_path / "log", folder=ROOT)
        started.append(program)
        return program

    yield start
    for program in started:
        program.kill()


def test_a_program_may_finish_its_work(watch):
    program = watch("polite")
    program.wait_until(lambda: program.has_said("| up"))

    program.process.send_signal(signal.SIGINT)

    assert program.process.wait(60) == 0
    lines = [line.rstrip(" 0123456789") for line in program.tail().splitlines()]
    assert lines == ["ready", "polite | up", "polite | done", "fallen: None"]


def test_a_second_interrupt_ends_at_once(watch):
    program = watch("stubborn")
    program.wait_until(lambda: program.has_said("| deaf"))
    started = time.monotonic()

    program.process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    was_waiting = program.is_running()
    program.process.send_signal(signal.SIGINT)
    program.process.wait(60)

    assert was_waiting
    assert time.monotonic() - started < 9  # programs get 10 s


def test_a_program_that_ends_before_all_are_ready_ends_the_start_with_its_last_lines(watch):
    program = watch("broken", code=WATCH.replace("lambda: True", "lambda: False"))

    wait_until(lambda: not program.is_running())

    assert program.tail().splitlines() == ["fallen: ('broken', 'ended with exit code 3', ['first', 'the reason'])"]


def test_a_killed_program_starts_again_and_the_others_continue(watch):
    program = watch("polite", "stubborn")
    program.wait_until(lambda: program.has_said("| up") and program.has_said("| deaf"))
    first = process_ids(program, "up")

    os.kill(first[0], signal.SIGKILL)

    program.wait_until(lambda: len(process_ids(program, "up")) == 2)
    assert "polite was ended by SIGKILL, again in 0.5 s" in program.tail()
    assert len(process_ids(program, "deaf")) == 1


def test_a_program_that_always_ends_at_once_starts_at_longer_intervals(watch):
    program = watch("short")

    program.wait_until(lambda: program.has_said("again in 2 s"))

    delays = re.findall(r"short ended with exit code 4, again in (\S+) s", program.tail())
    assert delays == ["0.5", "1", "2"]


def test_the_programs_end_when_the_supervisor_is_killed(watch):
    program = watch("polite")
    program.wait_until(lambda: program.has_said("| up"))
    (child,) = process_ids(program, "up")

    program.process.kill()
    program.process.wait()

    wait_until(lambda: not is_running(child))


def process_ids(program: Program, line: str) -> list[int]:
    return [int(number) for number in re.findall(rf"\| {line} (\d+)", program.log.read_text())]


def is_running(pid: int) -> bool:
    """Return whether the process has not ended, even if it is not reaped."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
