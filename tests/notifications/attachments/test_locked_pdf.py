"""A PDF with a password is rejected by the scanner's configuration, because it cannot be scanned.

Source: docs/reference/files.md §8; docs/testing.md, F5.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.notifications.attachments import samples
from tests.notifications.attachments.scanners import RealClamd, clamd_program
from tests.notifications.attachments.sending import file_caller, file_of, nothing_is_stored, send, told

# Encrypted by the standard handler with 40 bits, under a password that is not empty.
LOCK = (
    b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <"
    + b"28bf4e5e4e758a41" * 4
    + b"> /U <"
    + b"0102030405060708" * 4
    + b"> >>"
)


def locked_pdf() -> bytes:
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 72] >>",
        LOCK,
    ]
    text, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(text))
        text += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 5\n0000000000 65535 f \n"
    trailer = b"trailer\n<< /Size 5 /Root 1 0 R /Encrypt 4 0 R /ID [<00><00>] >>\nstartxref\n%d\n%%%%EOF\n" % len(text)
    return text + head + table + trailer


@pytest.fixture(scope="module")
def clamd() -> Iterator[RealClamd]:
    if clamd_program() is None:
        pytest.skip("clamd is not installed")
    one = RealClamd()
    yield one
    one.stop()


@pytest.mark.django_db
@pytest.mark.fault("F5")
def test_a_pdf_with_a_password_has_the_error_of_the_virus_scan(settings: Any, clamd: RealClamd, blobs: Path) -> None:
    settings.SCANNER = clamd.scanner
    caller = file_caller()

    refused = send(caller, file_of(locked_pdf(), filename="locked.pdf"))

    assert (refused.status_code, told(refused)) == (400, [("BadRequestError", "File did not pass the virus scan")])
    assert nothing_is_stored(blobs)
    assert send(caller, file_of(samples.PDF, filename="open.pdf")).status_code == 201
