"""The health checks report unavailable dependencies as findings, never as a traceback."""

import json
import os
from pathlib import Path

import pytest
import requests
from cryptography.fernet import Fernet
from django.utils import timezone

from config.areas import Finding, HealthCheck
from config.health import health_checks
from notifications.management import backlogs
from notifications.management.health_checks import file_store, reachable_providers
from notifications.models import EarlyReceipt
from tests import forks
from tests.factories import make_api_key, make_notification
from tests.servers import free_port

TOKEN = "a-token-for-monitors"
LATER = {
    "settings",
    "queue",
    "worker",
    "clock",
    "jobs",
    "clean-up",
    "keys",
    "audit",
    "column files",
    "time",
    "disk",
    "providers",
    "pauses",
    "backlog",
    "mailbox",
    "sign-in",
    "scanner",
    "files",
}


def doctor(folder: Path, **environment: str) -> dict[str, Finding]:
    """Run `manage.py doctor` with its own state folder and return the findings by name."""
    own = {"VAR_DIR": str(folder / "var"), "DATABASE_URL": "", "REDIS_URL": "", **environment}
    given = {name: value for name, value in {**os.environ, **own}.items() if value or name not in own}
    program = forks.start(
        "manage.py", "doctor", "--json", log=folder / f"doctor-{len(list(folder.iterdir()))}.log", environment=given
    )
    assert program.process.wait(100) in {0, 1}
    printed = program.log.read_text()
    assert "Traceback" not in printed
    return {one["name"]: Finding(**one) for one in json.loads(printed)}


def test_an_unavailable_database_is_one_finding_among_the_others(tmp_path):
    found = doctor(tmp_path, DATABASE_URL=f"postgres://nobody@127.0.0.1:{free_port()}/x")

    assert found["database"].fix == "Start the database, or correct DATABASE_URL."
    assert {found[name].fix for name in ("migrations", "worker", "clock", "jobs", "clean-up", "keys", "backlog")} == {
        "See database."
    }
    assert not any(found[name].fix for name in ("queue", "time", "disk", "providers", "scanner", "files"))
    assert found.keys() == LATER | {"database", "migrations"}


@pytest.fixture(scope="module")
def on_an_empty_database(tmp_path_factory) -> dict[str, Finding]:
    folder = tmp_path_factory.mktemp("doctor")
    (folder / "token").write_text("a-token-for-monitors")
    return doctor(folder, SECRET_KEY="secret-word" * 5, METRICS_TOKEN_FILE=str(folder / "token"))


def test_an_empty_database_needs_migrations(on_an_empty_database):
    found = on_an_empty_database

    assert not found["database"].fix
    assert found["migrations"].fix == "Run manage.py migrate."
    assert found["backlog"].fix == found["keys"].fix == "See migrations."
    assert found.keys() == LATER | {"database", "migrations"}


def test_a_file_folder_that_cannot_be_written_is_a_finding(settings, tmp_path):
    (tmp_path / "files").write_text("a file in place of the folder")
    folder = {**settings.STORAGES["attachments"], "OPTIONS": {"location": tmp_path / "files"}}
    settings.STORAGES = {**settings.STORAGES, "attachments": folder}

    assert file_store().fix.startswith("Start the store, or correct FILES_STORAGE")


@pytest.mark.django_db
def test_a_provider_that_cannot_be_reached_is_named(settings, smtp_sink):
    closed = free_port()
    settings.PROVIDERS = [
        f"mail=smtp://127.0.0.1:{smtp_sink.port}",
        f"text=https://user:secret-word@localhost:{closed}/sms",
        f"centre=smpp://me:word@127.0.0.1:{closed}",
    ]

    found = reachable_providers()

    assert found.seen == "mail, text, centre"
    assert f"text cannot be reached at localhost:{closed} (ConnectionRefusedError)" in found.fix
    assert f"centre cannot be reached at 127.0.0.1:{closed}" in found.fix
    assert "mail cannot" not in found.fix
    assert "secret-word" not in found.fix


@pytest.mark.django_db
def test_columns_that_the_keys_do_not_decrypt_are_named(settings):
    make_api_key()
    well = health_checks.keys()
    settings.FIELD_KEYS = [Fernet.generate_key().decode()]

    lost = health_checks.keys()

    assert (well.fix, well.seen) == ("", "SECRET_KEY and 1 of FIELD_KEYS decrypt what is stored")
    assert "apikey.encrypted_secret" in lost.fix


@pytest.mark.django_db
def test_a_receipt_for_an_unknown_message_is_not_in_the_backlog():
    message = make_notification(provider="gateway-1", provider_reference="known")
    for reference in ("never-sent", message.provider_reference):
        EarlyReceipt.objects.create(
            provider="gateway-1",
            reference=reference,
            outcome="delivered",
            received_at=timezone.now() - timezone.timedelta(minutes=20),
        )

    waiting = {one.queue: one.number for one in backlogs.backlogs()}

    assert waiting["receipts"] == 1


def test_each_setting_has_its_origin_and_no_value(on_an_empty_database):
    seen = on_an_empty_database["settings"].seen

    origins = dict(part.split(": ") for part in seen.split("; "))
    assert {"SECRET_KEY", "VAR_DIR", "ENVIRONMENT"} <= set(origins["environment"].split(", "))
    assert origins["file"] == "METRICS_TOKEN"
    assert origins["default"].startswith("the other ")
    assert "secret-word" not in seen
    assert "monitors" not in seen


def test_missing_trusted_proxies_are_a_finding_in_production(settings):
    settings.ENVIRONMENT, settings.BASE_URL, settings.TRUSTED_PROXIES = "production", "https://signalbox.example", 0
    forgotten = health_checks.origins()
    settings.TRUSTED_PROXIES = 1
    counted = health_checks.origins()

    assert forgotten.fix.startswith("TRUSTED_PROXIES is 0 and BASE_URL is https")
    assert not counted.fix


def test_a_check_that_raises_is_a_finding():
    def fail() -> Finding:
        raise ZeroDivisionError("secret-word")

    found = health_checks.look_at(HealthCheck(name="odd", look=fail), see="")

    assert found.name == "odd"
    assert found.seen.startswith("failed: ZeroDivisionError in test_health_checks.py, line ")
    assert found.fix


def test_the_deep_check_names_an_unavailable_database(start_service, tmp_path):
    file = tmp_path / "own.sqlite3"
    service = start_service(METRICS_TOKEN=TOKEN, DATABASE_URL=f"sqlite:///{file}")
    file.rename(tmp_path / "away")
    file.mkdir()

    answer = requests.get(f"{service.url}/_status/deep", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=20)

    found = {one["name"]: one["fix"] for one in answer.json()["findings"]}
    assert answer.status_code == 503
    assert found["database"] == "Start the database, or correct DATABASE_URL."
    assert found["backlog"] == "See database."


def test_the_disk_is_that_of_the_state_on_this_machine(settings, tmp_path):
    settings.KEEPS_STATE_IN_VAR, settings.VAR, settings.FILES_DIR = False, "/proc/nowhere", tmp_path / "files"
    with_files = health_checks.disk()
    settings.FILES_STORAGE = "s3"

    assert with_files.seen.endswith(" MB free")
    assert health_checks.disk() == Finding(name="disk", seen="nothing is stored on this machine")
