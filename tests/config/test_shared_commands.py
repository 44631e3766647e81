"""The commands both areas share: what they print, what they refuse, and with which exit code."""

import json
import re
import uuid

import pytest
from cryptography.fernet import Fernet
from django.conf import settings
from django.core.management import load_command_class

from config.queue.app import app
from tests.servers import free_port, wait_until


def provision(service, document, *arguments: str):
    text = document if isinstance(document, str) else json.dumps(document)
    return service.manage("provision", *(arguments or ("-",)), input=text)


def data_set(group: str = "", **more: object) -> dict[str, object]:
    return {"group": group or f"group-{uuid.uuid4().hex[:8]}", "type": "visits", **more}


def test_provision_prints_the_completed_document(service):
    declared = data_set(tokens=[{"scopes": ["write"]}])

    done = provision(service, {"data_sets": [declared]})

    assert (done.returncode, done.stderr) == (0, "")
    (completed,) = json.loads(done.stdout)["data_sets"]
    assert completed["group"] == declared["group"]
    assert completed["tokens"][0]["token"].startswith("ds_")


def test_provision_reads_a_file(service, tmp_path):
    file = tmp_path / "document.json"
    file.write_text(json.dumps({"data_sets": [data_set()]}))

    assert service.manage("provision", str(file)).returncode == 0


def test_provision_of_nothing_changes_nothing(service):
    done = provision(service, {})

    assert (done.returncode, json.loads(done.stdout)) == (0, {})


def test_provision_names_each_error_on_a_line_and_stores_nothing_of_either_area(service):
    group = f"group-{uuid.uuid4().hex[:8]}"

    done = provision(service, {"data_sets": [data_set(group)], "services": [{"name": 5}], "letters": []})
    again = provision(service, {"data_sets": [data_set(group, tokens=[{"scopes": ["write"]}])]})

    lines = done.stderr.splitlines()
    assert done.returncode == 1
    assert done.stdout == ""
    assert "letters: is not a known key" in lines
    assert any(line.startswith("services[0].") for line in lines)
    assert json.loads(again.stdout)["data_sets"][0]["tokens"][0]["token"], "the data set had been stored before"


@pytest.mark.parametrize("text", ["", "[]", "NaN"])
def test_provision_rejects_anything_but_an_object_in_one_line(service, text):
    done = provision(service, text)

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("CommandError: The document ")


def test_provision_rejects_a_missing_file(service):
    done = service.manage("provision", "nowhere.json")

    assert (done.returncode, done.stderr) == (1, "CommandError: nowhere.json: No such file or directory\n")


@pytest.mark.parametrize("words", [("provision",), ("try", "letters"), ("sweep", "everything")], ids=str)
def test_wrong_use_has_exit_code_2(service, words):
    assert service.manage(*words).returncode == 2


@pytest.mark.parametrize(
    "command", ["up", "worker", "clock", "demo", "provision", "try", "sweep", "doctor", "rotate_keys"]
)
def test_every_command_has_help_with_an_example_and_its_exit_codes(command):
    text = load_command_class("config", command).help

    assert f"manage.py {command}" in text.partition("Example:")[2]
    assert re.search("Exit codes?: 0 ", text)


@pytest.fixture(scope="module")
def ill_set(start_service):
    """A service with a real provider, whose broker is away."""
    port = free_port()
    return start_service(PROVIDERS=f"smtp-1=smtp://127.0.0.1:{port}", REDIS_URL=f"redis://127.0.0.1:{port}/0")


def test_demo_data_is_never_created_with_a_real_provider(ill_set):
    done = ill_set.manage("demo")

    assert done.returncode == 1
    assert done.stderr.startswith("CommandError: ")


def test_the_doctor_names_an_unavailable_broker(ill_set):
    done = ill_set.manage("doctor")

    assert done.returncode == 1
    assert "Start Redis, or correct REDIS_URL." in done.stdout


@pytest.fixture(scope="module")
def fresh(start_service):
    """A service without a worker and a clock until the last of the tests that ask for it."""
    return start_service()


def test_try_before_the_first_run_says_what_to_do(fresh):
    done = fresh.manage("try", "email")

    assert done.returncode == 1
    assert "is not in .demo.env: start the service once with `make run`." in done.stderr


def test_every_rule_can_be_run_by_command(service):
    done = service.manage("sweep")

    assert done.returncode == 0
    lines = [line for line in done.stdout.splitlines() if not line.startswith("{")]  # log lines may be between them
    assert [line for line in lines if not line.rpartition(": ")[2].isdecimal()] == []
    name = lines[0].rpartition(": ")[0]
    assert f"{name}: " in service.manage("sweep", name).stdout


def test_a_preview_shows_due_rows_and_removes_nothing(service):
    previewed = service.manage("sweep", "--preview")
    as_json = service.manage("sweep", "audit", "--preview", "--json")

    assert (previewed.returncode, as_json.returncode) == (0, 0)
    assert "audit: 0 would be removed" in previewed.stdout.splitlines()
    assert json.loads(as_json.stdout) == {"rules": [{"rule": "audit", "keeps": "730 days", "number": 0, "due": []}]}


def test_a_run_by_command_can_print_json(service):
    done = service.manage("sweep", "searches", "--json")

    assert json.loads(done.stdout) == {"rules": [{"rule": "searches", "removed": 0, "error": ""}]}


def test_the_clock_only_publishes_tasks_that_exist():
    app.loader.import_default_modules()

    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= set(app.tasks)


def test_the_doctor_has_a_fix_for_each_failure(fresh):
    done = fresh.manage("doctor", "--json")
    text = fresh.manage("doctor").stdout

    findings = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 1
    assert (findings["worker"]["fix"], findings["clock"]["fix"]) == (
        "Start manage.py worker.",
        "Start manage.py clock.",
    )
    assert not any(findings[name]["fix"] for name in ("database", "migrations", "queue", "keys", "time", "disk"))
    assert "✗ worker" in text
    assert text.index("✗ clock") < text.index("checks passed. --all shows them.")
    assert "✓ database" not in text
    assert "✓ database" in fresh.manage("doctor", "--all").stdout


def test_the_doctor_passes_when_everything_runs(fresh):
    fresh.start_worker()
    fresh.start("clock", "manage.py", "clock")

    wait_until(lambda: fresh.manage("doctor").returncode == 0)


def test_secrets_can_be_decrypted_after_the_old_key_is_removed(start_service):
    """A lost key is named, and nothing is changed."""
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    service = start_service(FIELD_KEYS=old)
    assert service.manage("demo").returncode == 0
    encrypted_with_old = service.manage("try", "sms")

    service.environment["FIELD_KEYS"] = Fernet.generate_key().decode()
    lost = service.manage("rotate_keys")
    service.environment["FIELD_KEYS"] = f"{new},{old}"
    rotated = service.manage("rotate_keys")
    service.environment["FIELD_KEYS"] = new
    service.web.stop()
    service.web = service.start_web()
    encrypted_with_new = service.manage("try", "sms")

    assert lost.returncode == 1
    assert "Keep the old keys" in lost.stderr
    assert (encrypted_with_old.returncode, rotated.returncode) == (0, 0), encrypted_with_old.stderr + rotated.stderr
    assert rotated.stdout.count(": ") >= 1
    assert encrypted_with_new.returncode == 0, encrypted_with_new.stderr


def test_a_task_carries_the_id_of_the_request_that_caused_it(service, worker):
    assert service.manage("demo").returncode == 0
    sent = service.manage("try", "sms")
    assert sent.returncode == 0, sent.stderr
    (request,) = [
        line for line in map(json.loads, _lines(service.web)) if line.get("route") == "/v2/notifications/sms"
    ][-1:]

    wait_until(lambda: any(request["request_id"] in line and "task.done" in line for line in _lines(worker)))


def _lines(program) -> list[str]:
    return [line for line in program.log.read_text().splitlines() if line.startswith("{")]
