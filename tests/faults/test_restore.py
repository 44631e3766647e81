"""API keys, file links and callbacks work after a restore with a new encryption key.

Source: docs/reference/security.md §1; docs/testing.md, I2; docs/operations.md has the commands.
"""

import base64
import os
import re
import shutil
import sqlite3
import subprocess
import uuid
from pathlib import Path

import pytest
import requests
from cryptography.fernet import Fernet

from tests.notifications.provisioned import Provisioned
from tests.servers import ROOT, postgres_programs
from tests.service import Service

OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()
DOCUMENT = {
    "name": f"Archive {uuid.uuid4().hex[:8]}",
    "live": True,
    "reply_to_addresses": [{"email_address": "reply@example.com"}],
    "file_contact": "help@example.org",
    "templates": [{"type": "email", "name": "email", "subject": "Hello", "content": "Here: ((doc))"}],
    "api_keys": [{"name": "k", "type": "live"}],
    "callbacks": {"delivery_status": {"url": "http://127.0.0.1:9/calls", "bearer_token": "a-token-of-length"}},
}
SECRETS = (
    "from notifications.models import CallbackEndpoint; "
    "print(*[row.bearer_token for row in CallbackEndpoint.objects.all()])"
)


@pytest.mark.fault("I2")
def test_encrypted_values_can_be_decrypted_after_a_restore_and_a_new_key(start_service, tmp_path):
    before = start_service(FIELD_KEYS=OLD)
    caller = Provisioned(before, DOCUMENT)
    link = send_file(caller)
    dump = tmp_path / "database.dump"
    back_up(before, dump)
    shutil.copytree(before.folder / "var" / "files", tmp_path / "files")

    after = start_service(FIELD_KEYS=f"{NEW},{OLD}")
    after.web.stop()
    restore(after, dump)
    shutil.copytree(tmp_path / "files", after.folder / "var" / "files", dirs_exist_ok=True)
    rotated = after.manage("rotate_keys")
    after.environment["FIELD_KEYS"] = NEW
    after.start_web()

    assert rotated.returncode == 0, rotated.stderr
    caller.url = after.url
    assert caller.request("GET", "/v2/notifications", key_type="live").status_code == 200
    assert open_page(link.replace(before.url, after.url)) == 200
    assert open_page(with_another_key(link.replace(before.url, after.url))) == 404
    assert after.manage("shell", "--no-imports", "-c", SECRETS).stdout.strip() == "a-token-of-length"
    assert "FIELD_KEYS" in after.environment
    assert OLD not in after.environment["FIELD_KEYS"]


def send_file(caller: Provisioned) -> str:
    """Send a file and return its link, which only this response contains."""
    file = {"file": base64.b64encode(b"name,number\nAna,1\n").decode(), "filename": "list.csv"}
    body = {
        "email_address": "p@example.org",
        "template_id": caller.templates["email"],
        "personalisation": {"doc": file},
    }
    answer = caller.request("POST", "/v2/notifications/email", body, key_type="live")
    assert answer.status_code == 201, answer.text
    found = re.search(r"http://\S+/d/\S+key=[\w-]+", answer.json()["content"]["body"])
    assert found
    return found.group()


def with_another_key(link: str) -> str:
    start, _, key = link.partition("key=")
    return f"{start}key={'B' if key[0] == 'A' else 'A'}{key[1:]}"


def open_page(link: str) -> int:
    return requests.get(link, timeout=20).status_code


def back_up(service: Service, dump: Path) -> None:
    url = service.environment["DATABASE_URL"]
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as source, sqlite3.connect(dump) as target:
            source.backup(target)
        return
    run_documented("pg_dump", service, dump)


def restore(service: Service, dump: Path) -> None:
    url = service.environment["DATABASE_URL"]
    if url.startswith("sqlite"):
        own = Path(url.removeprefix("sqlite:///"))
        for name in ("-wal", "-shm"):
            own.with_name(own.name + name).unlink(missing_ok=True)
        shutil.copyfile(dump, own)
        return
    run_documented("pg_restore", service, dump)


def run_documented(program: str, service: Service, dump: Path) -> None:
    """Run the command of docs/operations.md, with an option in DATABASE_URL that only Signalbox supports."""
    folder = postgres_programs()
    if folder is None and shutil.which(program) is None:
        pytest.skip(f"{program} is not on this machine")
    kept = service.folder / "environment"
    url = service.environment["DATABASE_URL"]
    kept.write_text(f"DATABASE_URL={url}{'&' if '?' in url else '?'}prepare_threshold=none\n")
    (command,) = re.findall(rf"^(?:.*`)?({program} .*signalbox\.dump[^`\n]*)", OPERATIONS, re.MULTILINE)
    (database,) = re.findall(r"^database\(\) \{\n.*?^\}", OPERATIONS, re.MULTILINE | re.DOTALL)
    script = f"{database}\n{command}".replace("/etc/signalbox/environment", str(kept))
    script = script.replace("signalbox.dump", str(dump))
    path = f"{os.environ['PATH']}:{folder}"
    subprocess.run(["sh", "-ec", script], check=True, capture_output=True, env={**os.environ, "PATH": path})
