"""The supervisor gives processes time to finish, and a second Ctrl-C ends them at once."""

import signal
import sys
import time

import pytest

from tests.servers import ROOT, Program, wait_until

# The children write after the program is ready, because earlier output is not shown.
WATCH = """
import pathlib, sys
from config.management.supervision import Supervisor

said, *names = sys.argv[1:]
LISTEN = f"import pathlib, signal, sys, time; said = pathlib.Path({said!r}); "
SPEAK = "\\nwhile not said.exists(): time.sleep(0.01)\\n"
STUBBORN = LISTEN + "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
STUBBORN += SPEAK + "print('deaf', flush=True); time.sleep(60)"
POLITE = LISTEN + "signal.signal(signal.SIGTERM, lambda *_: (print('done', flush=True), sys.exit(0)))"
POLITE += SPEAK + "print('up', flush=True); time.sleep(60)"
BROKEN = "print('first'); print('the reason', flush=True); raise SystemExit(3)"
code = {"stubborn": STUBBORN, "polite": POLITE, "broken": BROKEN}
children = {name: [sys.executable, "-c", code[name]] for name in names}
write = lambda line: print(line, flush=True)
say_ready = lambda: (write("ready"), pathlib.Path(said).touch())
asked = Supervisor(children, write).run(lambda: True, say_ready)
write(f"asked: {asked}")
"""


@pytest.fixture
def watch(tmp_path):
    started: list[Program] = []

    def start(*names: str) -> Program:
        program = Program(
            sys.executable, "-c", WATCH, str(tmp_path / "said"), *names, log=tmp_path / "log", folder=ROOT
        )
        started.append(program)
        return program

    yield start
    for program in started:
        program.kill()


def test_a_child_may_finish_its_work(watch):
    program = watch("polite")
    program.wait_until(lambda: program.has_said("| up"))

    program.process.send_signal(signal.SIGINT)

    assert program.process.wait(60) == 0
    assert program.tail().splitlines() == ["ready", "polite | up", "polite | done", "asked: True"]


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
    assert time.monotonic() - started < 9  # children get 10 s


def test_when_one_process_dies_the_others_stop_and_its_last_lines_are_shown(watch):
    program = watch("polite", "broken")

    wait_until(lambda: not program.is_running())

    lines = program.tail().splitlines()
    where = lines.index("broken ended with exit code 3. Its last lines:")
    assert lines[where + 1 : where + 3] == ["  first", "  the reason"]
    assert lines[-1] == "asked: False"
