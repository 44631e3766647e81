"""Programs that tests have started end with the test process, even if that is killed."""

import os
import subprocess
import sys
from pathlib import Path

from tests.servers import ROOT, wait_until

STARTING = """
import os, sys, time
from pathlib import Path
from tests.forks import Forks
from tests.servers import Program, PrivatePostgres

folder = Path(sys.argv[1])
forks = Forks(folder / "forks.log", dict(os.environ))
sleeping = "import time; time.sleep(600)"
forked = forks.start("-c", "import os; os.fork(); " + sleeping, log=folder / "forked.log")
own = Program(sys.executable, "-c", sleeping, log=folder / "own.log")
server = PrivatePostgres()
print(forked.pid, own.pid, server.program.pid, server.folder, flush=True)
time.sleep(600)
"""


def in_group(group: int) -> list[int]:
    """Return the ids of the processes of a group, without those that have ended and wait for their parent."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it has ended
            continue
        if int(its_group) == group and state != "Z":
            found.append(int(path.parent.name))
    return found


def test_programs_end_with_a_killed_test_process(tmp_path):
    command = [sys.executable, "-c", STARTING, tmp_path]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        *pids, folder = process.stdout.readline().split()
        groups = [int(pid) for pid in pids]
        assert [len(in_group(group)) for group in groups[:2]] == [2, 1]

        process.kill()

    wait_until(lambda: not any(map(in_group, groups)), seconds=20)
    subprocess.run(["rm", "-r", folder], check=True)
