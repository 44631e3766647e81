"""The case in which the store of the files fails."""

import base64
import threading
import time

from benchmarks.faults.stand import Answer
from benchmarks.scaleout.file_servers import S3Server, start_scanner
from benchmarks.scaleout.load import TlsCaller
from benchmarks.scaleout.stand import Stand
from benchmarks.scaleout.verdict import Verdict, is_our_envelope

AWAY_SECONDS = 30
_FILE = {"file": base64.b64encode(b"name,number\nAna,1\n").decode(), "filename": "list.csv"}


def store_killed(stand: Stand) -> Verdict:
    """S11: the S3 server is killed (-9) for 30 s. Emails with files get 500, all others pass."""
    verdict = Verdict("S11 S3 server killed 30 s")
    start_scanner(stand.folder)
    store = S3Server(stand.machine("s3", 51))
    senders = FileSender(stand)
    moments: list[float] = []

    def events() -> None:
        time.sleep(6)
        store.kill()
        moments.append(time.monotonic())
        time.sleep(AWAY_SECONDS)
        moments.append(time.monotonic())
        store.start()
        time.sleep(10)

    seen = stand.observe(events)
    answers = senders.stop()
    killed, back = moments
    before = [answer for answer in answers if answer.at + answer.seconds < killed]
    during = [answer for answer in answers if answer.at > killed and answer.at + answer.seconds < back]
    after = [answer for answer in answers if answer.at > back + 5]
    verdict.require_always(seen)
    verdict.require_no_refusal(seen)
    for name, some, status in (("before", before, 201), ("during", during, 500), ("after", after, 201)):
        verdict.seen[f"files {name}"] = len(some)
        wrong = [answer.status for answer in some if answer.status != status]
        verdict.require(bool(some), f"no email with a file {name} the outage")
        verdict.require(not wrong, f"emails with files {name} the outage got {wrong}, not {status}")
    verdict.require(all(map(is_our_envelope, during)), "a 500 is not in our envelope")
    verdict.seen["slowest 500 s"] = round(max((answer.seconds for answer in during), default=0), 1)
    return verdict


class FileSender:
    """Send one email with a file after another in the background."""

    def __init__(self, stand: Stand) -> None:
        self._service = stand.service
        self._answers: list[Answer] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> list[Answer]:
        self._stop.set()
        self._thread.join()
        return self._answers

    def _run(self) -> None:
        caller = TlsCaller(self._service)
        number = 0
        while not self._stop.wait(0.5):
            number += 1
            template = self._service.templates["file"]
            self._answers.append(caller.send(number, template_id=template, personalisation={"doc": _FILE}))
