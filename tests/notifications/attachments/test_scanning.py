"""Only a clear verdict accepts a file, with a scripted clamd and the real one. Cases A14, A15, F6.

Source: docs/reference/files.md §5.
"""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from notifications.attachments import scanning
from notifications.attachments.scanning import NoVerdict
from notifications.errors import FileInfected
from notifications.management import health_checks
from tests.notifications.attachments import samples
from tests.notifications.attachments.scanners import (
    FakeClamd,
    RealClamd,
    clamd_program,
    read_stream,
    saying,
)
from tests.notifications.attachments.sending import file_caller, file_of, nothing_is_stored, send, told
from tests.notifications.calling import email_template

CLEAN = saying(b"stream: OK\0")
NOT_CLEAR = {
    "nothing": b"",
    "a NUL": b"\0",
    "half of it": b"stream: O",
    "OK without its end": b"stream: OK",
    "OK in other letters": b"stream: ok\0",
    "OK with a blank": b"stream: OK \0",
    "OK of another stream": b"1: stream: OK\0",
    "OK after something": b"\nstream: OK\0",
    "the size limit": b"INSTREAM size limit exceeded. ERROR\0",
    "an error": b"stream: Can't allocate memory ERROR\0",
    "an unknown command": b"UNKNOWN COMMAND\0",
    "rubbish": bytes(range(1, 256)) + b"\0",
    "without an end": b"x" * 100_000,
    "a name without an end": b"stream: Win.Test FOUND",
}


@pytest.fixture
def short(settings: Any) -> None:
    settings.SCAN_TIMEOUT_SECONDS = 0.6


def check(settings: Any, fake: FakeClamd, *contents: bytes) -> None:
    settings.SCANNER = fake.scanner
    scanning.check(contents or (b"hello",))


def test_a_clean_file_is_sent_completely_in_blocks(settings: Any) -> None:
    data = os.urandom(200_001)

    with FakeClamd(CLEAN) as fake:
        check(settings, fake, data)

    assert fake.files == [data]


@pytest.mark.parametrize("answer", NOT_CLEAR.values(), ids=NOT_CLEAR)
@pytest.mark.fault("A15")
def test_no_other_answer_is_a_verdict(settings: Any, short: None, answer: bytes) -> None:
    with FakeClamd(saying(answer)) as fake, pytest.raises(NoVerdict):
        check(settings, fake)


@pytest.mark.parametrize("name", [b"Win.Test.EICAR_HDB-1", b"OK", b"A FOUND B", b"\xff"])
def test_a_virus_is_found_whatever_its_name(settings: Any, name: bytes) -> None:
    with FakeClamd(saying(b"stream: " + name + b" FOUND\0")) as fake, pytest.raises(FileInfected) as refused:
        check(settings, fake)

    assert refused.value.message == "File did not pass the virus scan"


def test_an_infected_file_takes_precedence_over_one_without_a_verdict(settings: Any) -> None:
    def answer(connection: socket.socket, data: bytes) -> None:
        connection.sendall(b"stream: Bad FOUND\0" if data == b"bad" else b"stream: broken ERROR\0")

    with FakeClamd(answer) as fake, pytest.raises(FileInfected):
        check(settings, fake, b"unknown", b"bad")


def test_one_file_without_a_verdict_rejects_all(settings: Any) -> None:
    def answer(connection: socket.socket, data: bytes) -> None:
        connection.sendall(b"stream: OK\0" if data != b"odd" else b"stream: broken ERROR\0")

    with FakeClamd(answer) as fake, pytest.raises(NoVerdict):
        check(settings, fake, b"one", b"odd", b"two")


def test_the_reason_of_a_closed_connection_is_read(settings: Any) -> None:
    """An OK from a peer that has not read the whole file is not accepted."""

    def answer(connection: socket.socket, data: bytes) -> None:
        connection.sendall(b"stream: OK\0")
        connection.shutdown(socket.SHUT_RDWR)

    with FakeClamd(answer, reads=False) as fake, pytest.raises(NoVerdict):
        check(settings, fake, os.urandom(8_000_000))


def test_a_silent_scanner_ends_at_the_deadline(settings: Any, short: None) -> None:
    is_over = threading.Event()

    with FakeClamd(lambda connection, data: is_over.wait(30) and None) as fake:
        started = time.monotonic()
        with pytest.raises(NoVerdict):
            check(settings, fake, b"one", b"two")
        took = time.monotonic() - started
        is_over.set()

    assert 0.5 < took < 15  # the scanner is silent for 30 s


def test_a_dripping_scanner_ends_at_the_deadline_too(settings: Any, short: None) -> None:
    def drip(connection: socket.socket, data: bytes) -> None:
        for _ in range(600):
            connection.sendall(b"x")
            time.sleep(0.05)

    with FakeClamd(drip) as fake:
        started = time.monotonic()
        with pytest.raises(NoVerdict):
            check(settings, fake)

    assert time.monotonic() - started < 15  # the scanner drips for 30 s


def test_a_scanner_that_does_not_read_ends_at_the_deadline(settings: Any, short: None) -> None:
    is_over = threading.Event()

    with FakeClamd(lambda connection, data: is_over.wait(30) and None, reads=False) as fake:
        started = time.monotonic()
        with pytest.raises(NoVerdict):
            check(settings, fake, os.urandom(20_000_000))
        is_over.set()

    assert time.monotonic() - started < 15


def test_ten_files_share_four_connections(settings: Any) -> None:
    busy: list[bytes] = []
    at_once: list[int] = []

    def slowly(connection: socket.socket, data: bytes) -> None:
        busy.append(data)
        at_once.append(len(busy))
        time.sleep(0.05)
        busy.remove(data)  # before the answer, because the next file may start after it
        connection.sendall(b"stream: OK\0")

    with FakeClamd(slowly) as fake:
        check(settings, fake, *[bytes([number]) for number in range(10)])

    assert (len(fake.files), max(at_once)) == (10, 4)


@pytest.mark.parametrize("scanner", ["clamd:unix:/nowhere/clamd.sock", "clamd:tcp:127.0.0.1:1"])
def test_an_unavailable_scanner_is_not_a_verdict(settings: Any, scanner: str) -> None:
    settings.SCANNER = scanner

    with pytest.raises(NoVerdict):
        scanning.check([b"hello"])


def test_a_full_backlog_is_retried(settings: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(place)
        settings.SCANNER, settings.SCAN_TIMEOUT_SECONDS = f"clamd:unix:{place}", 5

        def make_room() -> None:
            time.sleep(0.3)
            for one in waiting:
                one.close()
            while True:
                connection, _ = listener.accept()
                with connection:
                    if connection.recv(1, socket.MSG_PEEK):
                        read_stream(connection.makefile("rb"))
                        connection.sendall(b"stream: OK\0")
                        return

        attendant = threading.Thread(target=make_room, daemon=True)
        attendant.start()
        scanning.check([b"hello"])
        attendant.join(5)


# Without a scanner


def test_without_a_scanner_only_the_test_virus_is_found(settings: Any) -> None:
    settings.SCANNER = "none"

    scanning.check([b"hello", samples.EICAR[:-1], b"\0" * 1000])
    with pytest.raises(FileInfected):
        scanning.check([b"hello", b"before" + samples.EICAR + b"behind"])


def test_the_doctor_names_the_missing_scanner(settings: Any) -> None:
    settings.SCANNER = "none"
    assert health_checks.scanner().seen == "none: files are checked for the test virus only"

    settings.SCANNER = "clamd:unix:/nowhere/clamd.sock"
    assert (
        health_checks.scanner().fix == "Start clamd, or correct SCANNER: until then emails with files get status 500."
    )


@pytest.mark.parametrize(("day", "is_red"), [("Thu Jan  1 08:00:00 2026", True), ("Thu Jan  1 08:00:00 2099", False)])
def test_the_doctor_checks_the_age_of_the_signatures(settings: Any, day: str, is_red: bool) -> None:
    def version(connection: socket.socket, data: bytes) -> None:
        connection.sendall(f"ClamAV 1.4.6/27800/{day}\0".encode())

    with FakeClamd(version, reads=False) as fake:
        settings.SCANNER = fake.scanner
        finding = health_checks.scanner()

    assert finding.seen.startswith("ClamAV 1.4.6/27800/")
    assert bool(finding.fix) is is_red


# The whole road


@pytest.mark.django_db
def test_without_a_verdict_the_answer_is_500_and_emails_without_files_work(settings: Any, blobs: Path) -> None:
    caller = file_caller()
    with FakeClamd(saying(b"stream: broken ERROR\0")) as fake:
        settings.SCANNER = fake.scanner
        response = send(caller, file_of())
        assert fake.files
    settings.SCANNER = "clamd:unix:/nowhere/clamd.sock"
    away = send(caller, file_of())

    assert (response.status_code, told(response)) == (500, [("Exception", "Internal server error")])
    assert (away.status_code, told(away)) == (500, [("Exception", "Internal server error")])
    assert nothing_is_stored(blobs)
    assert caller.send_email(email_template(caller)).status_code == 201


# The real one


@pytest.fixture(scope="module")
def clamd() -> Iterator[RealClamd]:
    if clamd_program() is None:
        pytest.skip("clamd is not installed")
    one = RealClamd()
    yield one
    one.stop()


INFECTED = {
    "raw": samples.EICAR,
    "in a text": b"before " + samples.EICAR,
    "in a PDF": samples.PDF + samples.EICAR,
    "in a zip": samples.archive({"eicar.com": samples.EICAR}),
    "in a docx": samples.docx({"word/embeddings/eicar.bin": samples.EICAR}),
}


@pytest.mark.parametrize("data", INFECTED.values(), ids=INFECTED)
@pytest.mark.fault("F6")
def test_the_real_clamd_finds_the_test_virus(settings: Any, clamd: RealClamd, data: bytes) -> None:
    settings.SCANNER = clamd.scanner

    with pytest.raises(FileInfected):
        scanning.check([b"hello", data])


@pytest.mark.parametrize("extension", samples.GOOD)
def test_the_real_clamd_accepts_valid_files(settings: Any, clamd: RealClamd, extension: str) -> None:
    settings.SCANNER = clamd.scanner

    scanning.check([samples.GOOD[extension]])


def test_the_real_clamd_scans_several_files_of_full_size(settings: Any, clamd: RealClamd) -> None:
    settings.SCANNER = clamd.scanner

    scanning.check([os.urandom(2 * 1024 * 1024 - 1) for _ in range(10)])


@pytest.mark.django_db
@pytest.mark.fault("F6")
def test_a_found_virus_has_the_contracts_error_and_nothing_is_stored(
    settings: Any, clamd: RealClamd, blobs: Path
) -> None:
    settings.SCANNER = clamd.scanner
    caller = file_caller()
    packed = file_of(INFECTED["in a docx"], filename="a.docx")

    alone = send(caller, file_of(samples.EICAR, filename="a.txt"))
    as_second = send(caller, file_of(), packed)

    expected = [("BadRequestError", "File did not pass the virus scan")]
    assert (alone.status_code, told(alone)) == (400, expected)
    assert (as_second.status_code, told(as_second)) == (400, expected)
    assert nothing_is_stored(blobs)
    assert send(caller, file_of()).status_code == 201


@pytest.mark.django_db
@pytest.mark.fault("A14")
def test_a_frozen_clamd_is_500_and_works_again_after_a_restart(settings: Any, blobs: Path) -> None:
    """Case A14: a 500 within the deadline and a second, and the next upload succeeds without a restart."""
    if clamd_program() is None:
        pytest.skip("clamd is not installed")
    own = RealClamd(tcp=True)
    settings.SCANNER, settings.SCAN_TIMEOUT_SECONDS = own.scanner, 1.5
    caller = file_caller()
    try:
        assert send(caller, file_of()).status_code == 201

        os.kill(own.program.pid, signal.SIGSTOP)
        started = time.monotonic()
        waiting = [socket.create_connection(("127.0.0.1", own.port), 1) for _ in range(50)]
        frozen = send(caller, file_of())
        took = time.monotonic() - started
        without = caller.send_email(email_template(caller))
        for one in waiting:
            one.close()
        own.program.kill()
        gone = send(caller, file_of())
        own.start()

        assert (frozen.status_code, gone.status_code, without.status_code) == (500, 500, 201)
        assert took < 15  # 1.5 s, and time for a busy machine; without a deadline, the call would never end
        assert len(list(blobs.rglob("??/*"))) == 1
        assert send(caller, file_of()).status_code == 201
        assert health_checks.scanner().seen.startswith("ClamAV")
    finally:
        own.stop()
