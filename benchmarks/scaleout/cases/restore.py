"""The backup drill: a full backup under traffic, a restore to a moment, and the service on the copy."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator

import requests

from benchmarks.faults.stand import wait_for
from benchmarks.scaleout.configuration import deployed
from benchmarks.scaleout.load import TlsCaller
from benchmarks.scaleout.machine import Machine
from benchmarks.scaleout.postgresql import REPOSITORY
from benchmarks.scaleout.proxies import HOST
from benchmarks.scaleout.stand import Stand
from benchmarks.scaleout.verdict import Verdict
from tests.notifications.tokens import make_token
from tests.servers import ROOT, wait_until

COUNT = 50  # messages before and after the moment
COPY_NUMBER = 61
QUIET_SECONDS = 15
_PAUSE = """
from config import audit
from notifications.delivery import pauses
from notifications.models import PauseKind
for name in ("email", "sms"):
    pauses.pause(PauseKind.CHANNEL, name, audit.COMMAND, "a restored copy")
"""
_TEXTFILES = "/var/lib/prometheus/node-exporter"


def restored(stand: Stand) -> Verdict:
    """S10: the commands of docs/operations.md, Restore to a moment, run as they are written there."""
    verdict = Verdict("S10 restore to a moment, pgBackRest")
    leader = stand.cluster.leader()
    leader.run("install", "-d", "-o", "postgres", "-g", "postgres", _TEXTFILES)
    took: list[float] = []

    def events() -> None:
        time.sleep(3)
        began = time.monotonic()
        leader.run("/usr/local/bin/backup.sh", user="postgres")
        took.append(time.monotonic() - began)
        time.sleep(3)

    seen = stand.observe(events)
    verdict.require_always(seen)
    verdict.require_no_refusal(seen)
    verdict.seen["backup s"] = round(took[0], 1)

    before, waiting, after, moment = _messages_around_a_moment(stand)
    copy = _copy_machine(stand, leader)
    began = time.monotonic()
    for command in documented_commands(moment):
        copy.run("bash", "-c", command)
    wait_until(lambda: copy.run("psql", "-Atc", "SELECT pg_is_in_recovery()", user="postgres").strip() == "f")
    verdict.seen["restore s"] = round(time.monotonic() - began, 1)
    there = set(
        copy.run("psql", "-Atc", "SELECT id FROM notifications_notification", "signalbox", user="postgres").split()
    )
    verdict.seen |= {"rows before": len(there & {*before, *waiting}), "rows after": len(there & set(after))}
    verdict.require({*before, *waiting} <= there, "rows of before the moment are missing")
    verdict.require(not there & set(after), "rows of after the moment are there")

    arrived = stand.mail.arrivals().counts()
    environment = _environment(stand, copy)
    web = stand.application.start_on("web", copy, environment)
    statuses = [_status_of(stand, copy, identifier) for identifier in (before[0], after[0])]
    verdict.require(statuses == [200, 404], f"the copy answers {statuses} for messages of before and after")
    _pause_sending(stand, copy, environment)
    others = [stand.application.start_on(role, copy, environment) for role in ("worker", "clock")]
    time.sleep(QUIET_SECONDS)
    for program in (web, *others):
        program.stop()
    sent = stand.mail.arrivals().counts() - arrived
    twice = [id for id in (*before, *waiting, *after) if stand.mail.arrivals().counts()[id] != 1]
    verdict.seen |= {"due on the copy": len(waiting), "sent by the copy": sum(sent.values())}
    verdict.require(not sent, f"the copy sent {len(sent)} messages")
    verdict.require(not twice, f"{len(twice)} messages did not arrive once")
    copy.power_off()
    return verdict


def _messages_around_a_moment(stand: Stand) -> tuple[list[str], list[str], list[str], str]:
    """Return the ids of messages sent before, waiting at, and accepted after a moment, and the moment."""
    caller = TlsCaller(stand.service)
    before = [caller.send(number).id for number in range(COUNT)]
    wait_for(lambda: set(before) <= set(stand.mail.arrivals().counts()), 60)
    time.sleep(2)  # until the workers have recorded them
    for machine in stand.apps:
        stand.application.programs["worker", machine.name].stop(60)
    waiting = [caller.send(number).id for number in range(5)]
    time.sleep(1)
    moment = str(stand.cluster.rows("SELECT now()")[0][0])
    time.sleep(1)
    after = [caller.send(number).id for number in range(COUNT)]
    for machine in stand.apps:
        stand.application.start("worker", machine)
    wait_for(lambda: {*waiting, *after} <= set(stand.mail.arrivals().counts()), 60)
    stand.cluster.rows("SELECT pg_switch_wal()")  # otherwise the segment is archived within archive_timeout
    return before, waiting, after, moment


def _copy_machine(stand: Stand, leader: Machine) -> Machine:
    """Return a new machine with PostgreSQL, pgBackRest and Redis, and the repository of the cluster."""
    copy = stand.machine("copy", COPY_NUMBER)
    copy.run("pg_dropcluster", "17", "main")
    copy.run("install", "-d", "-o", "postgres", "-g", "postgres", "/run/postgresql")
    subprocess.run(["mount", "--bind", stand.folder / "pgbackrest", copy.root / REPOSITORY.lstrip("/")], check=True)
    text = (leader.root / "etc/pgbackrest.conf").read_text()
    copy.write("/etc/pgbackrest.conf", text, owner="postgres", mode=0o640)
    copy.write("/etc/redis/redis.conf", deployed("redis/redis.conf"), owner="redis")
    copy.start("redis", "redis-server", "/etc/redis/redis.conf", user="redis")
    return copy


def documented_commands(moment: str) -> Iterator[str]:
    """Yield the commands of the section, with this moment and the address of the copy."""
    text = (ROOT / "docs/operations.md").read_text()
    section = re.search(r"^### Restore to a moment\n(.*?)(?=^##)", text, re.MULTILINE | re.DOTALL)
    assert section, "docs/operations.md has no section Restore to a moment"
    block = re.search(r"```bash\n(# on the copy.*?)```", section[1], re.DOTALL)
    assert block, "the section has no commands for the copy"
    documented = "2026-11-24 10:00:00+00"
    assert documented in block[1]
    commands = block[1].replace(documented, moment).replace("10.0.0.", "127.0.1.")
    yield from (line for line in commands.replace("\\\n", " ").splitlines() if line and not line.startswith("#"))


def _pause_sending(stand: Stand, copy: Machine, environment: dict[str, str]) -> None:
    """Pause both channels, as the console's page *Queue and providers* does."""
    command = copy.beside(sys.executable, "manage.py", "shell", "--no-imports", "--command", _PAUSE)
    subprocess.run(command, env=environment, cwd=stand.application.code, check=True, timeout=60)


def _environment(stand: Stand, copy: Machine) -> dict[str, str]:
    """Return the variables of one machine with the copy of the database."""
    environment = stand.application.environment("web")
    password_and_name = (stand.application.secrets / "DATABASE_URL.web").read_text().strip()
    for name in ("DATABASE_URL_FILE", "DATABASE_POOLER"):
        del environment[name]
    return environment | {
        "DATABASE_URL": password_and_name.replace("127.0.0.1:6432", f"{copy.address}:5432"),
        "REDIS_URL": "redis://127.0.0.1:6379/0",
        "VAR_DIR": os.fspath(copy.folder / "var-copy"),
    }


def _status_of(stand: Stand, copy: Machine, identifier: str) -> int:
    service = stand.service
    token = make_token(service.id, service.keys["live"][-36:])
    headers = {"Authorization": f"Bearer {token}", "Host": HOST, "X-Forwarded-Proto": "https"}
    address = f"http://{copy.address}:8000/v2/notifications/{identifier}"
    return requests.get(address, headers=headers, timeout=30).status_code
