"""Measure what the audit chain costs one change in the console: `python -m benchmarks.audit_chain [postgresql|sqlite]`.

It saves a template through the console on a database of its own, in alternating rounds with the chain and without the
trigger that adds the links. Then it stores the event of such a save alone, because other work on the machine hides the
difference of whole saves. It prints JSON lines and a table. Without an argument it measures both databases.
Source: docs/reference/security.md §7.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any  # the test client of Django, which is imported late

from benchmarks.frame import processes
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import POSTGRES
from tests.servers import PrivatePostgres

STORES = ("postgresql", "sqlite")
SAVES = 60  # of one round
WARM_UP = 20
ROUNDS = 9  # short ones, because other work on the machine distorts them
MOST_MS = 5.0
_TRIGGER = "operations_audit_link"


def main(store: str) -> None:
    with tempfile.TemporaryDirectory(prefix="signalbox-audit-") as folder, _database(store, Path(folder)) as (url, pid):
        os.environ |= {"DATABASE_URL": url, "VAR_DIR": folder, "LOG_LEVEL": "critical"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        saves = _saves()
        for _ in range(WARM_UP):
            next(saves)
        bench = Bench(rounds=ROUNDS)
        bench.show_machine()
        for what, times in (("save of a template", saves), ("its event alone", _events())):
            measures = {name: partial(_round, times, pid, linked=name == "chain") for name in ("chain", "bare")}
            found = bench.interleave(**measures)
            for unit, value in (("ms of CPU", attrgetter("cpu_ms")), ("ms", attrgetter("elapsed_ms"))):
                chain, bare = ([value(one) for one in found[name]] for name in ("chain", "bare"))
                bench.show(f"Audit chain on {store}: {what}", chain, unit, against=("no trigger", bare))
                added = [with_it - without for with_it, without in zip(chain, bare, strict=True)]
                bench.show(f"Audit chain on {store}: added to {what}", added, unit, at_most=MOST_MS)
        bench.show_table()


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """The results of a round. cpu_ms: the mean of a save, of this process and PostgreSQL; elapsed_ms: the median"""

    cpu_ms: float
    elapsed_ms: float


@contextmanager
def _database(store: str, folder: Path) -> Iterator[tuple[str, int | None]]:
    """Create an empty database, because unlinked events would break the chain of any other one.

    Return its URL and the process id of its server, if it has one.
    """
    if store == "sqlite":
        yield f"sqlite:///{folder / 'audit.sqlite3'}", None
        return
    postgres = PrivatePostgres(**POSTGRES)
    try:
        yield postgres.url, postgres.program.pid
    finally:
        postgres.stop()


def _round(times: Iterator[float], server: int | None, *, linked: bool) -> Saved:
    _set_trigger(is_on=linked)
    try:
        before = _cpu_seconds(server)
        elapsed = [next(times) for _ in range(SAVES)]
        return Saved(cpu_ms=(_cpu_seconds(server) - before) * 1000 / SAVES, elapsed_ms=statistics.median(elapsed))
    finally:
        _set_trigger(is_on=True)


def _cpu_seconds(server: int | None) -> float:
    return time.process_time() + (processes.cpu_seconds(server) if server else 0)


def _set_trigger(*, is_on: bool) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"ALTER TABLE operations_audit_event {'ENABLE' if is_on else 'DISABLE'} TRIGGER {_TRIGGER}")
            return
        cursor.execute(f"DROP TRIGGER IF EXISTS {_TRIGGER}")
        if is_on:
            cursor.execute(import_module("config.console.migrations.0001_version_1_1").SQLITE)


def _events() -> Iterator[float]:
    """Store the event of such a save in a transaction of its own. Yield the milliseconds of each."""
    from django.db import transaction

    from config import audit

    after = {"content": "High water at 7", "current_version": 7}
    while True:
        began = time.perf_counter()
        with transaction.atomic():
            audit.record(audit.COMMAND, "changed", object_kind="template", object_id="7", label="Bench", after=after)
        yield (time.perf_counter() - began) * 1000


def _saves() -> Iterator[float]:
    """Save a template through the console again and again. Yield the milliseconds of each save."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    from config.audit.models import AuditEvent
    from tests import factories

    settings.ALLOWED_HOSTS = ["testserver"]
    client: Any = Client()
    client.force_login(User.objects.create_superuser("benchmark", "benchmark@example.org", None))
    template = factories.make_template(factories.make_service(), name="Bench", subject="Hello", content="0")
    page = reverse("admin:notifications_template_change", args=[template.pk])
    common = {"name": "Bench", "subject": "Hello", "note": "", "versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}
    version = 1
    while True:
        form = {**common, "content": f"High water at {version}", "based_on": version}
        began = time.perf_counter()
        answer = client.post(page, form)
        took = (time.perf_counter() - began) * 1000
        version += 1
        assert answer.status_code == 302, answer.content.decode()
        assert AuditEvent.objects.count() == version - 1
        yield took


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        for one in STORES:
            subprocess.run([sys.executable, "-m", "benchmarks.audit_chain", one], check=True)
