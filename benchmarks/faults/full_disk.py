"""Fill the disk of the file store: `python -m benchmarks.faults.full_disk`, as root, because it mounts a small disk.

It passes if an email with a file gets a 500 in the API's error shape and leaves neither a row nor a partial blob, if
emails without files still work, and if uploads work again without a restart after space is free. Source:
docs/testing.md, A10.

Cases: A10.
"""

import base64
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import psycopg
import requests

from benchmarks.faults.stand import Provisioned, Stand, show, show_machine, stand

DISK = "4m"
FILE = {"file": base64.b64encode(b"A letter of some length.\n" * 20_000).decode(), "filename": "letter.txt"}  # 500 kB


def main() -> None:
    show_machine()
    with tempfile.TemporaryDirectory(prefix="signalbox-disk-") as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder], check=True)
        try:
            fill(Path(folder))
        finally:
            subprocess.run(["umount", folder], check=True)


def fill(disk: Path) -> None:
    with stand(FILES_DIR=str(disk / "files"), SCANNER="none") as it:
        template = [{"type": "email", "name": "email", "subject": "Hello", "content": "Here: ((file))"}]
        plain = [{"type": "email", "name": "plain", "subject": "Hello", "content": "Nothing"}]
        service = it.provision("Disk", templates=template + plain, file_contact="help@example.org")
        first = send(service, file=FILE)
        filler = disk / "filler"
        write_until_full(filler)
        full, without = send(service, file=FILE), send(service, template="plain")
        kept = state(it, disk)
        filler.unlink()
        again = send(service, file=FILE)
        statuses = [answer.status_code for answer in (first, full, without, again)]
        show("before, full, full without a file, free again", statuses)
        show("rows and blobs after the failure", kept)
        assert statuses == [201, 500, 201, 201]
        assert full.json()["errors"]
        assert kept == (2, 1, 1)
        show("passed", True)


def send(service: Provisioned, template: str = "email", **values: Any) -> requests.Response:
    body = {"email_address": "p@example.org", "template_id": service.templates[template], "personalisation": values}
    return service.request("POST", "/v2/notifications/email", body, key_type="live")


def write_until_full(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 4096):
                pass
        except OSError:
            return


def state(it: Stand, disk: Path) -> tuple[int, int, int]:
    """Return the numbers of messages, of file rows and of blobs. A partial blob counts, too."""
    query = "SELECT (SELECT count(*) FROM notifications_notification), (SELECT count(*) FROM notifications_attachment)"
    with psycopg.connect(it.postgres.url) as connection:
        messages, files = connection.execute(query).fetchone() or (0, 0)
    return messages, files, sum(path.is_file() for path in (disk / "files").rglob("*"))


if __name__ == "__main__":
    sys.exit(main())
