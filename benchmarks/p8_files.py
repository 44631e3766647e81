"""P8: accept (check, encrypt, store) and download emails with a file of just under 2 MiB, and the memory they take.

The comparison is openssl's aes-256-gcm, which reads the bytes, encrypts them and writes them to disk, or the reverse.
SCANNER names the scanner (default `none`). The memory of the one web process is read all the time.
"""

import base64
import os
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from benchmarks.frame import processes
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import Stand, stand
from tests.notifications.provisioned import Provisioned
from tests.servers import SmtpSink, wait_until

SIZE = 2 * 1024 * 1024 - 1  # bytes; the limit is exclusive
AT_ONCE = 4
FILES = 8  # in a round
MOST_MIB = 10  # per request in flight
_LINK = re.compile(r"http://\S+/d/\S+\?key=[\w-]+")


def main(bench: Bench) -> None:
    line = b"reference,office,count\r\n" + b"0123456789,Harbour Office,42\r\n"
    data = (line * (SIZE // len(line) + 1))[:SIZE]
    sink = SmtpSink()
    try:
        with stand(web=1, PROVIDERS=f"mail={sink.url}", SCANNER=os.environ.get("SCANNER", "none")) as it:
            service = it.provision(
                file_contact="help@example.org",
                templates=[{"type": "email", "name": "email", "subject": "Your file", "content": "((doc))"}],
            )
            send(service, data, 1)  # the first one loads modules
            (web,) = processes.children(it.service.web.pid)
            resting = processes.resident_mib(web)
            found = bench.interleave(
                accept=lambda: watched(web, lambda: send(service, data, AT_ONCE)),
                openssl=lambda: (encrypt(it, data), 0.0),
            )
            seconds = {name: [taken for taken, _ in rows] for name, rows in found.items()}
            against = ("openssl", seconds["openssl"])
            bench.show("P8 accept", seconds["accept"], "s/file", against=against, scanner=os.environ.get("SCANNER"))
            grown = [(most - resting) / AT_ONCE for _, most in found["accept"]]
            bench.show("P8 accept, memory per request in flight", grown, "MiB", at_most=MOST_MIB)
            it.service.start_worker()
            download(bench, it, sink, data, web)
    finally:
        sink.stop()


def download(bench: Bench, it: Stand, sink: SmtpSink, data: bytes, web: int) -> None:
    wait_until(lambda: sink.messages, 60)
    part = sink.messages[-1].get_body(("plain",))
    assert part is not None
    link = _LINK.findall(part.get_content())[0]
    fetch(link, data, 1)
    resting = processes.resident_mib(web)
    found = bench.interleave(
        download=lambda: watched(web, lambda: fetch(link, data, AT_ONCE)), openssl=lambda: (decrypt(it, data), 0.0)
    )
    seconds = {name: [taken for taken, _ in rows] for name, rows in found.items()}
    bench.show("P8 download", seconds["download"], "s/file", against=("openssl", seconds["openssl"]))
    grown = [(most - resting) / AT_ONCE for _, most in found["download"]]
    bench.show("P8 download, memory per request in flight", grown, "MiB", at_most=MOST_MIB)


def send(service: Provisioned, data: bytes, at_once: int) -> float:
    """Return the seconds for one file when `at_once` callers send FILES."""
    file = {
        "file": base64.b64encode(data).decode(),
        "filename": "counts.csv",
        "confirm_email_before_download": False,
    }
    body = {"email_address": "someone@example.org", "template_id": service.templates["email"]}

    def post(_: int) -> None:
        answer = service.request(
            "POST", "/v2/notifications/email", body | {"personalisation": {"doc": file}}, key_type="live"
        )
        assert answer.status_code == 201, answer.text

    return _each(post, at_once)


def fetch(link: str, data: bytes, at_once: int) -> float:
    address = link.replace("?key=", "/download?key=")

    def get(_: int) -> None:
        answer = requests.get(address, timeout=30)
        assert answer.content == data, (answer.status_code, answer.headers.get("Content-Type"))

    return _each(get, at_once)


def encrypt(it: Stand, data: bytes) -> float:
    key, file = AESGCM(b"k" * 32), it.folder / "encrypted"

    def work(number: int) -> None:
        with Path(f"{file}-{number}").open("wb") as out:
            out.write(key.encrypt(b"n" * 12, data, None))
            out.flush()
            os.fsync(out.fileno())

    return _each(work, AT_ONCE)


def decrypt(it: Stand, data: bytes) -> float:
    key, file = AESGCM(b"k" * 32), it.folder / "encrypted"

    def work(number: int) -> None:
        assert key.decrypt(b"n" * 12, Path(f"{file}-{number}").read_bytes(), None) == data

    return _each(work, AT_ONCE)


def watched(pid: int, work: Callable[[], float]) -> tuple[float, float]:
    """Return the result of the work, and the peak memory of the process during it."""
    done, most = threading.Event(), [0.0]

    def look() -> None:
        while not done.wait(0.005):
            most[0] = max(most[0], processes.resident_mib(pid))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        return work(), most[0]
    finally:
        done.set()
        watcher.join()


def _each(work: Callable[[int], None], at_once: int) -> float:
    started = time.perf_counter()
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(work, range(FILES)))
    return (time.perf_counter() - started) / FILES
