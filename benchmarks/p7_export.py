"""P7: export a million records as CSV and as NDJSON over HTTP: duration, time to the first bytes, and memory.

Each is measured without column files and with them. The memory of the web process is read after every megabyte. The
process has answered other calls before.
"""

import time
from dataclasses import dataclass
from functools import partial

from benchmarks import records
from benchmarks.frame import processes
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import stand
from benchmarks.records import Writable

RECORDS = 1_000_000
MOST_MIB = 10
MOST_SECONDS = {"csv": 12, "ndjson": 8}
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    seconds: float
    first_seconds: float
    megabytes: float
    grown_mib: float


def main(bench: Bench) -> None:
    with stand(web=1, DATABASE_STATEMENT_TIMEOUT_MS="60000") as it:
        data_set = records.make(it)
        records.fill(it, data_set, RECORDS)
        (web,) = processes.children(it.service.web.pid)
        read(data_set, "limit=1000", web)
        forms = {form: partial(read, data_set, f"format={form}", web) for form in MOST_SECONDS}
        found = bench.interleave(**forms)
        assert it.service.manage("columns", "build").returncode == 0
        found |= {f"{form} with column files": exports for form, exports in bench.interleave(**forms).items()}
        for form, exports in found.items():
            size = round(exports[0].megabytes)
            most = MOST_SECONDS.get(form.removesuffix(" with column files"))
            bench.show(f"P7 {form}", [export.seconds for export in exports], "s", at_most=most, megabytes=size)
            bench.show(f"P7 {form}, first bytes", [export.first_seconds for export in exports], "s")
            bench.show(f"P7 {form}, memory grows by", [one.grown_mib for one in exports], "MiB", at_most=MOST_MIB)


def read(data_set: Writable, question: str, web: int) -> Export:
    before = most = processes.resident_mib(web)
    connection = data_set.connect()
    started = time.perf_counter()
    connection.request("GET", f"{data_set.url}?{question}", headers=data_set.headers)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    size, first = len(answer.read(1)), time.perf_counter() - started
    while block := answer.read(_BLOCK):
        size += len(block)
        most = max(most, processes.resident_mib(web))
    taken = time.perf_counter() - started
    connection.close()
    return Export(seconds=taken, first_seconds=first, megabytes=size / 1e6, grown_mib=most - before)
