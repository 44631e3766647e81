"""Send hostile files and bodies while another caller works: `python -m benchmarks.faults.hostile_bodies [sqlite]`.

It passes if each answer comes within 5 s and is no 5xx, the web process stays below 250 MiB and alive, its children and
the worker stay below 400 MiB, and reads, sends and writes of the other caller take at most 1 s.
Source: docs/reference/security.md §14.

Cases: E9, F5.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import django
import requests

from benchmarks.faults.stand import Caller, show, show_machine, stand

django.setup()

from tests.browsing import Browser  # noqa: E402  Django must be set up first
from tests.config.test_hostile_bodies import GZIP, JSON  # noqa: E402
from tests.datasets.test_http import Writer  # noqa: E402
from tests.notifications.bulk_tables import hostile  # noqa: E402
from tests.notifications.provisioned import Provisioned  # noqa: E402
from tests.notifications.tokens import make_token  # noqa: E402
from tests.servers import processes  # noqa: E402

MIB = 1024 * 1024
WITHIN_SECONDS, OTHERS_WITHIN_SECONDS = 5.0, 1.0
WEB_MIB, CHILD_MIB = 250, 400
NAME, PASSWORD = "operator", "a-long-password-for-faults-1"
SUPERUSER = (
    "from django.contrib.auth.models import User; "
    f"User.objects.create_superuser({NAME!r}, 'operator@example.org', {PASSWORD!r})"
)


class Others:
    """Another caller who reads, sends and writes four times a second. slowest: seconds by kind of call"""

    def __init__(self, service: Provisioned, writer: Writer) -> None:
        self._sender, self._writer = Caller(service), writer
        self.slowest: dict[str, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            record = [{"_timestamp": "2026-11-20T09:00:00Z", "_id": str(number), "count": number}]
            self._time("send", lambda: self._sender.send(number).status == 201)  # noqa: B023  called at once
            self._time("write", lambda: self._writer.post(record).ok)  # noqa: B023
            self._time("read", lambda: self._writer.call("GET").ok)
            time.sleep(0.25)

    def _time(self, kind: str, call: Callable[[], bool]) -> None:
        started = time.monotonic()
        assert call(), kind
        self.slowest[kind] = max(self.slowest.get(kind, 0.0), time.monotonic() - started)


def peak_mib(pids: list[int]) -> float:
    peaks = [0.0]
    for pid in pids:
        status = Path(f"/proc/{pid}/status")
        if status.exists():
            found = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
            peaks += [int(line.split()[1]) / 1024 for line in found]
    return max(peaks)


def forget_peaks(pids: list[int]) -> None:
    """Let the peak of each process begin at its present size."""
    for pid in pids:
        with suppress(OSError):
            Path(f"/proc/{pid}/clear_refs").write_text("5")


def is_limited(pid: int) -> bool:
    """Return whether this is a child process for one input. Its peak lasts until it is replaced."""
    command = Path(f"/proc/{pid}/cmdline")
    return command.exists() and b"multiprocessing" in command.read_bytes()


def all_calls(
    browser: Browser, service: Provisioned, attacker: Writer
) -> Iterator[tuple[str, Callable[[], requests.Response]]]:
    """Yield the name of each call and what makes it."""
    path = f"/admin/notifications/bulksend/add/?template={service.templates['email']}"
    for name, make in {**hostile.EXCEL, **hostile.OPEN_DOCUMENT, **hostile.TEXT}.items():
        yield f"file: {name}", partial(browser.upload, path, "file", "x", make())
    for name, make in JSON.items():
        body = make()
        yield f"JSON: {name}", partial(attacker.call, "POST", body)
        yield f"rows: {name}", partial(send_rows, service, body)
    for name, make in GZIP.items():
        yield f"gzip: {name}", partial(attacker.call, "POST", make(), **{"Content-Encoding": "gzip"})


def send_rows(service: Provisioned, rows: bytes) -> requests.Response:
    body = b'{"template_id":"%b","name":"x","rows":%b}' % (service.templates["email"].encode(), rows)
    token = make_token(service.id, service.keys["live"][-36:])
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    return requests.post(f"{service.url}/v2/notifications/bulk", body, headers=headers, timeout=60)


def main(*, embedded: bool) -> None:
    show_machine()
    with stand(embedded=embedded, web=1, DATA_RATE_LIMIT_PER_MINUTE="1000000") as it:
        service, writer, attacker = it.provision(), Writer(it.service), Writer(it.service)
        worker = it.service.start_worker()
        assert it.service.manage("shell", "-v", "0", "-c", SUPERUSER).returncode == 0
        browser = Browser(it.service.url)
        browser.fill("/admin/login/", username=NAME, password=PASSWORD)
        web = it.service.web.pid
        others, slow, refused, count = Others(service, writer), [], 0, 0
        largest: list[tuple[int, str]] = []  # the peak of the web process by call
        for name, call in all_calls(browser, service, attacker):
            forget_peaks([web, *processes(web)])
            started = time.monotonic()
            answer = call()
            seconds = time.monotonic() - started
            count, refused = count + 1, refused + (answer.status_code >= 400)
            assert answer.status_code < 500, (name, answer.status_code, answer.text[:300])
            largest.append((round(peak_mib([pid for pid in [web, *processes(web)] if not is_limited(pid)])), name))
            if seconds > WITHIN_SECONDS:
                slow.append((name, round(seconds, 1)))
        time.sleep(5)  # for the worker
        others.end()
        children = [pid for pid in [*processes(web), *processes(worker.pid)] if is_limited(pid)]
        largest.sort(reverse=True)
        peaks = {"web": largest[0][0], "worker": peak_mib(processes(worker.pid)), "children": peak_mib(children)}
        show("calls", count, refused=refused, slow=slow)
        show("seconds of others", {kind: round(seconds, 2) for kind, seconds in others.slowest.items()})
        show("peak MiB", {kind: round(peak) for kind, peak in peaks.items()}, web_by_call=largest[:5])
        assert it.service.web.is_running()
        assert not slow
        assert max(others.slowest.values()) <= OTHERS_WITHIN_SECONDS
        assert peaks["web"] < WEB_MIB
        assert max(peaks["worker"], peaks["children"]) < CHILD_MIB
        show("passed", True)


if __name__ == "__main__":
    main(embedded="sqlite" in sys.argv)
