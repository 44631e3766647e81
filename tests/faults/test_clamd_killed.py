"""clamd is killed during a scan, and freezes with two hundred files waiting: no file is accepted without a scan.

Source: docs/testing.md, A14.
"""

import contextlib
import os
import signal
import socket
import threading
import time

import pytest

from tests.notifications.attachments.conftest import blobs  # noqa: F401  a separate store
from tests.notifications.attachments.scanners import RealClamd, clamd_program
from tests.notifications.attachments.sending import file_caller, file_of, nothing_is_stored, send
from tests.notifications.calling import email_template

pytestmark = pytest.mark.django_db


@pytest.fixture
def clamd(settings):
    if clamd_program() is None:
        pytest.skip("clamd is not installed")
    one = RealClamd(tcp=True)
    settings.SCANNER, settings.SCAN_TIMEOUT_SECONDS = one.scanner, 2
    yield one
    with contextlib.suppress(ProcessLookupError):
        os.kill(one.program.pid, signal.SIGCONT)
    one.stop()


@pytest.mark.fault("A14")
def test_a_scan_that_is_killed_accepts_no_file(clamd, blobs):  # noqa: F811
    caller = file_caller()
    os.kill(clamd.program.pid, signal.SIGSTOP)  # the upload stays in progress
    killer = threading.Timer(0.7, clamd.program.kill)
    killer.start()

    answer = send(caller, file_of())
    killer.join()

    assert answer.status_code == 500
    assert nothing_is_stored(blobs)
    assert caller.send_email(email_template(caller)).status_code == 201
    clamd.start()
    assert send(caller, file_of()).status_code == 201


@pytest.mark.fault("A14")
def test_a_frozen_scanner_accepts_no_file_and_works_again_afterwards(clamd, blobs):  # noqa: F811
    caller = file_caller()
    os.kill(clamd.program.pid, signal.SIGSTOP)
    waiting = []
    for _ in range(200):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(("127.0.0.1", clamd.port))
        waiting.append(one)

    answer = send(caller, file_of())

    assert answer.status_code == 500
    assert nothing_is_stored(blobs)
    assert caller.send_email(email_template(caller)).status_code == 201
    for one in waiting:
        one.close()
    os.kill(clamd.program.pid, signal.SIGCONT)
    time.sleep(0.5)
    assert send(caller, file_of()).status_code == 201
