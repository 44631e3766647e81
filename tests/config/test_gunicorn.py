"""Test how the web server's settings change the memory of a process."""

import json
import platform
import socket
import subprocess
import sys

import pytest
from gunicorn.config import Config
from gunicorn.http.parser import RequestParser

from config.web.worker import Logger, Worker
from tests.servers import ROOT

HOLD_AND_LET_GO = """
import json, sys
from config.web import gunicorn

def resident() -> float:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024

if sys.argv[1] == "cared for":
    gunicorn._give_back_large_blocks()
made = b"a" * (3 << 20)
del made  # from now on, the C library would keep blocks of this size
before, large, small = resident(), [], []
for _ in range(10):
    large.append(b"a" * (3 << 20))
    small.append(b"a" * 200_000)  # stays after a large one
held = resident() - before
large.clear()
print(json.dumps([held, resident() - before]))
"""


def held_and_kept(kind: str) -> tuple[float, float]:
    """Return the MiB that such blocks took, and the MiB that remained after they were freed."""
    done = subprocess.run(
        [sys.executable, "-c", HOLD_AND_LET_GO, kind], cwd=ROOT, capture_output=True, text=True, check=True
    )
    held, kept = json.loads(done.stdout)
    return held, kept


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_large_blocks_are_returned_to_the_system_at_once():
    held, kept = held_and_kept("cared for")
    held_by_default, kept_by_default = held_and_kept("left alone")

    assert min(held, held_by_default) > 30
    assert kept < 5 < 25 < kept_by_default


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v2/templates", {"status_code": 500, "errors": [{"error": "Exception", "message": "Internal server error"}]}),
        ("/data/pay/visits", {"status": "error", "message": "The service failed to answer this request."}),
    ],
)
def test_an_error_that_reaches_the_web_server_is_not_blamed_on_the_caller(path, body):
    worker = object.__new__(Worker)  # without the sockets and threads of a whole worker
    worker.log, worker.cfg = Logger(Config()), Config()
    caller = ("127.0.0.1", 1)
    request = next(RequestParser(Config(), [f"GET {path} HTTP/1.1\r\n\r\n".encode()], caller))
    ours, theirs = socket.socketpair()

    with ours, theirs:
        worker.handle_error(request, ours, caller, ValueError())
        head, _, text = theirs.recv(65536).decode().partition("\r\n\r\n")

    assert head.startswith("HTTP/1.1 500 ")
    assert json.loads(text) == body
