"""Write and read while column files are damaged: `python -m benchmarks.faults.column_files [seconds [sqlite]]`.

16 writers give records higher numbers at new moments, and 4 readers sum them. Meanwhile `manage.py columns build` runs
again and again and is killed at random moments, and files of the store are cut, filled with garbage and deleted. It
passes if every answer has each write that was acknowledged before, and if at the end all files are right and the
clean-up has left no other file. Source: docs/reference/column-files.md §3.

Cases: D7.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import requests

from benchmarks.faults.stand import show, show_machine, stand
from benchmarks.records import make
from tests.servers import ROOT

IDS, WRITERS, READERS, KILLS = 2_000, 16, 4, 20
SETTINGS = {
    "COLUMNS_FROM_RECORDS": "100",
    "COLUMNS_READ_FROM_RECORDS": "0",
    "COLUMNS_SEGMENT_RECORDS": "300",
    "LOG_LEVEL": "info",
}
QUERY = "period=year&start_at=2024-01-01T00:00:00Z&end_at=2025-01-01T00:00:00Z&collect=n:sum"
_CLEAN_UP = (
    "import os\nfrom pathlib import Path\nfrom datasets.columns import files\n"
    "for path in Path(files.file_store().path('')).glob('*/*'): os.utime(path, (0, 0))\n"
    "print('deleted', sum(files.delete_unnamed()))"
)


class Acknowledged:
    """The number of each record whose write was answered with 200, and what the threads found."""

    def __init__(self) -> None:
        self.numbers = [0] * IDS
        self.lock = threading.Lock()
        self.writes = self.reads = self.busy = 0
        self.errors: list[str] = []

    def least_sum(self) -> int:
        with self.lock:
            return sum(self.numbers)


def main(seconds: float, *, embedded: bool) -> None:
    show_machine()
    chance = random.Random(1)  # noqa: S311  no secret
    with stand(embedded=embedded, **SETTINGS) as it:
        data_set, found, ends_at = make(it), Acknowledged(), time.monotonic() + seconds
        session = requests.Session()
        session.headers.update(data_set.headers)
        assert session.post(data_set.url, json=[record(chance, one, 0) for one in range(IDS)]).status_code == 200
        work = [lambda part=part: write(session, data_set.url, found, chance, part) for part in range(WRITERS)]
        work += [lambda: read(session, data_set.url, found)] * READERS
        threads = [threading.Thread(target=repeat, args=(one, ends_at, found)) for one in work]
        for thread in threads:
            thread.start()
        folder = Path(it.service.environment["VAR_DIR"]) / "files" / "columns"
        kills = 0
        while time.monotonic() < ends_at:
            kills += build(it.service.environment, chance, seconds / KILLS)
            damage(folder, chance)
        for thread in threads:
            thread.join()
        show("writes", found.writes, reads=found.reads, busy=found.busy, kills=kills)
        read(session, data_set.url, found)
        assert found.errors == [], found.errors[:5]
        it.service.manage("columns", "build")
        verified = it.service.manage("columns", "verify")
        if verified.returncode:  # files that were damaged while nobody read them
            it.service.manage("columns", "drop")
            it.service.manage("columns", "build")
            verified = it.service.manage("columns", "verify")
        assert verified.returncode == 0, verified.stderr
        cleaned = it.service.manage("shell", "-v", "0", "-c", _CLEAN_UP)
        named = it.service.manage(
            "shell",
            "-v",
            "0",
            "-c",
            "from datasets.models import Segment; print(Segment.objects.exclude(file='').count())",
        )
        left = len(list(folder.glob("*/*")))
        show("files", left, named=int(named.stdout), cleaned=cleaned.stdout.strip(), status=verified.stdout.strip())
        assert left == int(named.stdout)
        show("passed", True)


def record(chance: random.Random, one: int, number: int) -> dict[str, object]:
    return {"_id": f"r{one}", "_timestamp": f"2024-{chance.randrange(12) + 1:02}-01T00:00:00Z", "n": number}


def repeat(work: object, ends_at: float, found: Acknowledged) -> None:
    while time.monotonic() < ends_at and not found.errors:
        work()  # type: ignore[operator]  # a function without arguments


def write(session: requests.Session, url: str, found: Acknowledged, chance: random.Random, part: int) -> None:
    ids = [one for one in range(part, IDS, WRITERS) if chance.random() < 0.05]
    if not ids:
        return
    body = json.dumps([record(chance, one, found.numbers[one] + 1) for one in ids])
    answer = session.post(url, data=body, timeout=60)
    if answer.status_code == 503:
        found.busy += 1
        return  # nothing is stored, or the answer was lost: the numbers are only a lower bound
    if answer.status_code != 200:
        found.errors.append(f"POST {answer.status_code} {answer.text[:200]}")
        return
    with found.lock:
        found.writes += 1
        for one in ids:
            found.numbers[one] += 1


def read(session: requests.Session, url: str, found: Acknowledged) -> None:
    least = found.least_sum()
    answer = session.get(f"{url}?{QUERY}", timeout=60)
    if answer.status_code == 503:
        found.busy += 1
        return
    if answer.status_code != 200:
        found.errors.append(f"GET {answer.status_code} {answer.text[:200]}")
        return
    found.reads += 1
    row = answer.json()["data"][0]
    if row["_count"] != IDS or row["n:sum"] < least:
        found.errors.append(f"{row} has less than {IDS} records with the sum {least}")


def build(environment: dict[str, str], chance: random.Random, seconds: float) -> int:
    """Build until all is built or a random moment, at which the builder is killed. Return 1 if it was."""
    builder = subprocess.Popen(
        [sys.executable, "manage.py", "columns", "build"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        builder.wait(chance.uniform(1, max(2, seconds * 1.5)))
    except subprocess.TimeoutExpired:
        os.kill(builder.pid, signal.SIGKILL)
        builder.wait()
        return 1
    return 0


def damage(folder: Path, chance: random.Random) -> None:
    stored = list(folder.glob("*/*.parquet"))
    if not stored:
        return
    path = chance.choice(stored)
    kind = chance.randrange(3)
    if kind == 0:
        path.unlink(missing_ok=True)
    elif kind == 1:
        path.write_bytes(b"garbage" * 100)
    else:
        path.write_bytes(path.read_bytes()[:200])


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60, embedded="sqlite" in sys.argv)
