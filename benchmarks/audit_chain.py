"""Measure what the audit chain costs one change in the console: `python -m benchmarks.audit_chain [postgresql|sqlite]`.

It saves a template through the console on a database of its own, alternately with the chain and without the trigger
that adds the links. The added time is the median of the differences of two saves that follow each other. Without an
argument it measures both databases. It prints JSON lines and a table.
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
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import Any  # the test client of Django, which is imported late

from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import POSTGRES
from tests.servers import PrivatePostgres

STORES = ("postgresql", "sqlite")
PAIRS = 40  # of one round: a save with the chain and one without it
WARM_UP = 20
ROUNDS = 9
MOST_MS = 5.0
_TRIGGER = "operations_audit_link"


def main(store: str) -> None:
    with tempfile.TemporaryDirectory(prefix="signalbox-audit-") as folder, _database(store, Path(folder)) as url:
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
        rounds = [[_pair(saves, chain_first=number % 2 == 0) for number in range(PAIRS)] for _ in range(ROUNDS)]
        chain, bare, added = (
            [statistics.median(value(pair) for pair in pairs) for pairs in rounds]
            for value in (itemgetter(0), itemgetter(1), lambda pair: pair[0] - pair[1])
        )
        bench.show(f"Audit chain on {store}: save of a template", chain, "ms", against=("no trigger", bare))
        bench.show(f"Audit chain on {store}: added by the trigger", added, "ms", at_most=MOST_MS)
        bench.show_table()


@contextmanager
def _database(store: str, folder: Path) -> Iterator[str]:
    """Create an empty database, because unlinked events would break the chain of any other one."""
    if store == "sqlite":
        yield f"sqlite:///{folder / 'audit.sqlite3'}"
        return
    postgres = PrivatePostgres(**POSTGRES)
    try:
        yield postgres.url
    finally:
        postgres.stop()


def _pair(saves: Iterator[float], *, chain_first: bool) -> tuple[float, float]:
    """Return the milliseconds of a save with the chain and of one without it."""
    if chain_first:
        return next(saves), _without_trigger(saves)
    bare = _without_trigger(saves)
    return next(saves), bare


def _without_trigger(saves: Iterator[float]) -> float:
    _set_trigger(is_on=False)
    try:
        return next(saves)
    finally:
        _set_trigger(is_on=True)


def _set_trigger(*, is_on: bool) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"ALTER TABLE operations_audit_event {'ENABLE' if is_on else 'DISABLE'} TRIGGER {_TRIGGER}")
        elif is_on:
            cursor.execute(import_module("config.console.migrations.0023_link_audit_events").SQLITE)
        else:
            cursor.execute(f"DROP TRIGGER {_TRIGGER}")


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
