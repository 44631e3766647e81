"""Several processes as one: the grace they are given, and how a second Ctrl-C ends it."""

import signal
import sys
import time

import pytest

from tests.servers import ROOT, Program, wait_until

WATCH = """
import sys
from config.management.supervision import Supervisor

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
STUBBORN += "print('deaf', flush=True); time.sleep(60)"
POLITE = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: (print('done', flush=True), sys.exit(0)));"
POLITE += "print('up', flush=True); time.sleep(60)"
BROKEN = "print('first'); print('the reason', flush=True); raise SystemExit(3)"
code = {"stubborn": STUBBORN, "polite": POLITE, "broken": BROKEN}
children = {name: [sys.executable, "-c", code[name]] for name in sys.argv[1:]}
write = lambda line: print(line, flush=True)
asked = Supervisor(children, write).run(lambda: True, lambda: write("ready"))
write(f"asked: {asked}")
"""


@pytest.fixture
def watch(tmp_path):
    started: list[Program] = []

    def start(*names: str) -> Program:
        program = Program(sys.executable, "-c", WATCH, *names, log=tmp_path / "log", folder=ROOT)
        started.append(program)
        return program

    yield start
    for program in started:
        program.kill()


def test_a_child_may_finish_what_it_has_in_hand(watch):
    program = watch("polite")
    program.wait_until(lambda: "| up" in program.tail())

    program.process.send_signal(signal.SIGINT)

    assert program.process.wait(10) == 0
    assert program.tail().splitlines() == ["ready", "polite | up", "polite | done", "asked: True"]


def test_a_second_interrupt_ends_at_once(watch):
    program = watch("stubborn")
    program.wait_until(lambda: "| deaf" in program.tail())
    started = time.monotonic()

    program.process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    was_waiting = program.is_running()
    program.process.send_signal(signal.SIGINT)
    program.process.wait(10)

    assert was_waiting
    assert time.monotonic() - started < 4


def test_one_that_dies_takes_the_others_along_and_says_why(watch):
    program = watch("polite", "broken")

    wait_until(lambda: not program.is_running(), 20)

    told = program.tail().splitlines()
    where = told.index("broken ended with exit code 3. Its last lines:")
    assert told[where + 1 : where + 3] == ["  first", "  the reason"]
    assert told[-1] == "asked: False"
