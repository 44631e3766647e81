"""The example programs that use the library or the command line run unchanged against a running service."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.servers import ROOT

EXAMPLES = ROOT / "docs" / "examples"
SECRET, BODY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", '{"test": 2432232314}'


@pytest.fixture
def run(python, environment):
    """Run a program with the variables that the examples name, and return what it prints."""
    paths = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    variables = {**environment, "API": environment["SIGNALBOX_URL"], "PATH": paths}

    def run(*command, text: str = "", folder: Path = ROOT, **more: str) -> str:
        done = subprocess.run(
            [str(one) for one in command],
            env=variables | more,
            cwd=folder,
            input=text,
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    return run


def write(run, records):
    run("signalbox", "data", "empty", "demo/visits", "--yes")
    run("signalbox", "data", "write", "demo/visits", text=json.dumps(records))


def test_a_program_for_govuk_notify_changes_one_line(run):
    assert run(sys.executable, EXAMPLES / "from_govuk_notify.py") == "Your gate code is 4711."


def test_a_data_set_moves_from_another_store(run, python, environment):
    records = [{"_timestamp": f"2026-11-20T{hour:02}:00:00Z", "_id": str(hour), "count": hour} for hour in range(3)]
    write(run, records)
    old = {"OLD_URL": f"{environment['SIGNALBOX_URL']}/data/demo/visits", "OLD_TOKEN": environment["DATA_TOKEN"]}

    assert run(python, EXAMPLES / "from_data_store.py", **old) == "3 records moved"
    assert len(json.loads(run("signalbox", "data", "query", "demo/visits", "--json"))) == 3


def test_cron_writes_one_record_an_hour(run, tmp_path):
    (tmp_path / "visit").touch()
    write(run, [])

    for _ in range(2):
        assert run("sh", EXAMPLES / "cron.sh", VISITS_FOLDER=str(tmp_path)) == "1 record is stored."

    (record,) = json.loads(run("signalbox", "data", "query", "demo/visits", "--json"))
    assert record["count"] == 1


def test_the_four_figures_are_published(run, python):
    at = {"_timestamp": "2026-11-20T09:00:00Z"}
    started = [{**at, "stage": "start", "channel": "digital"} for _ in range(5)]
    done = [{**at, "stage": "done", "channel": "digital", "rating": 5, "cost": 1.5} for _ in range(3)]
    by_phone = [{**at, "stage": "done", "channel": "phone", "rating": 1, "cost": 5.5}]
    write(run, [*started, *done, *by_phone])

    assert run(python, EXAMPLES / "four_figures.py").splitlines() == [
        "Digital take-up: 75%",
        "Completion rate: 80%",
        "User satisfaction: 75%",
        "Cost of a transaction: £2.50",
    ]


def test_a_late_data_set_raises_one_alarm_a_day(run, python):
    write(run, [{"_timestamp": "2020-01-01T00:00:00Z"}])

    alarms = {run(python, EXAMPLES / "alarm_on_late_set.py") for _ in range(2)}

    assert len(alarms) == 1
    assert alarms.pop().startswith("late ")


def test_a_load_test_sends_with_a_test_key_alone(run, python):
    assert run(python, EXAMPLES / "load_test.py", NUMBER="20").startswith("20 of 20 accepted")
    refused = subprocess.run(
        [python, EXAMPLES / "load_test.py"], env={"API": "http://127.0.0.1:1", "NOTIFY_API_KEY": "live-1"}, check=False
    )
    assert refused.returncode == 1


def test_a_callback_is_verified_in_node(run, tmp_path):
    script = tmp_path / "verify.mjs"
    script.write_text(
        f"""import {{ verify, verified }} from "{EXAMPLES / "verify_callback.mjs"}"
        const headers = {{"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}}
        const [body, secret, now] = [Buffer.from('{BODY}'), "{SECRET}", 1614265330]
        let status = 0
        verified(() => (status = 204))({{ headers, body }}, {{ sendStatus: (code) => (status = code) }})
        console.log(JSON.stringify([verify(headers, body, secret, now), verify(headers, body, "whsec_AAAA", now),
            verify(headers, Buffer.from("{{}}"), secret, now), verify(headers, body, secret, now + 301),
            verify({{}}, body, secret, now), status]))"""
    )

    assert json.loads(run("node", script, SIGNING_SECRET=SECRET)) == [{"test": 2432232314}, None, None, None, None, 401]


def commands(value) -> list[str]:
    """Return the commands of a workflow that call the command line, in their order."""
    if isinstance(value, dict):
        return [command for one in value.values() for command in commands(one)]
    if isinstance(value, list):
        return [command for one in value for command in commands(one)]
    return [value] if isinstance(value, str) and value.startswith("signalbox ") else []


@pytest.mark.parametrize("name", ["github-actions.yml", "gitlab-ci.yml"])
def test_the_jobs_pull_and_push_templates(run, tmp_path, name):
    workflow = yaml.safe_load((EXAMPLES / "ci" / name).read_text())
    run("signalbox", "templates", "pull", "templates", folder=tmp_path)
    file = tmp_path / "templates" / "gate-code.md"
    file.write_text(file.read_text().replace("Your gate code", "Your new gate code"))

    called = commands(workflow)
    for command in reversed(called):  # a pull would undo the change
        run("sh", "-c", command, folder=tmp_path, GITHUB_SHA="abc", CI_COMMIT_SHORT_SHA="abc")

    assert len(called) == 2
    assert "No differences." in run("signalbox", "templates", "diff", "templates", folder=tmp_path)
    file.write_text(file.read_text().replace("Your new gate code", "Your gate code"))
    run("signalbox", "templates", "push", "templates", "--yes", folder=tmp_path)


def test_the_programs_are_short():
    programs = [path for path in EXAMPLES.rglob("*") if path.suffix in {".py", ".sh", ".mjs", ".yml"}]

    assert [path.name for path in programs if len(path.read_text().splitlines()) > 60] == []
