"""Measure how long a writer waits while a clean-up deletes old messages.

    python -m benchmarks.clean_up_beside_writers [MESSAGES]

It uses the database of DATABASE_URL, which must contain nothing you want to keep, or a temporary SQLite file. Every
5 ms the writer runs the statements of a send: one INSERT and one conditional UPDATE of the day's counter in a
transaction.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from datetime import timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WRITER_PAUSE_SECONDS = 0.005


def main(number: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        os.environ.setdefault("DATABASE_URL", f"sqlite:///{folder}/benchmark.sqlite3")
        os.environ.setdefault("VAR_DIR", folder)
        subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0"], cwd=ROOT, check=True)
        import django

        django.setup()
        service_id = _fill(number)
        print(f"{number:,} messages are due")
        alone = _write(service_id, Path(folder) / "stop-alone", seconds=5)
        print("alone: ", _summary(alone))
        stop = Path(folder) / "stop"
        command = [sys.executable, "-m", "benchmarks.clean_up_beside_writers", "--writer", str(service_id), str(stop)]
        writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        started = time.monotonic()
        removed = _clean_up()
        took = time.monotonic() - started
        stop.touch()
        waits = json.loads(writer.communicate()[0].splitlines()[-1])
        print(f"during: {_summary(waits)}; {removed:,} messages removed in {took:.1f} s ({removed / took:,.0f}/s)")


def _fill(number: int) -> str:
    """Store the first thousand messages with the model and the others as their copies, which takes a twentieth."""
    from django.db import connection
    from django.utils import timezone

    from notifications.models import Notification, Status
    from tests.factories import make_service, make_template

    template = make_template(make_service())
    at = timezone.now() - timedelta(days=20)
    Notification.objects.bulk_create(
        Notification(
            service=template.service,
            key_type="live",
            channel="email",
            template=template,
            template_version=1,
            recipient="a@example.org",
            normalised_recipient="a@example.org",
            body="Dear Ana\n\n" + "Your visit is booked. " * 20,
            status=Status.DELIVERED,
            created_at=at + timedelta(seconds=place),
        )
        for place in range(min(number, 1000))
    )
    columns = [field.column for field in Notification._meta.concrete_fields if field.column != "id"]
    new_id = "gen_random_uuid()" if connection.vendor == "postgresql" else "lower(hex(randomblob(16)))"
    table = Notification._meta.db_table
    names = ", ".join(columns)
    copy = f"INSERT INTO {table} (id, {names}) SELECT {new_id}, {names} FROM {table}"
    with connection.cursor() as cursor:
        stored = min(number, 1000)
        while stored < number:
            cursor.execute(f"{copy} LIMIT %s", [min(stored, number - stored, 10_000)])
            stored += cursor.rowcount
    return str(template.service_id)


def _write(service_id: str, stop: Path, seconds: float = 7200) -> list[float]:
    """Send until the file `stop` exists. Return the milliseconds of each transaction."""
    from django.db import transaction
    from django.db.models import F
    from django.utils import timezone

    from notifications.models import DailyCounter, Notification, Template

    template = Template.objects.get(service_id=service_id)
    day = timezone.now().date()
    DailyCounter.objects.get_or_create(service_id=service_id, day=day, kind="email")
    waits: list[float] = []
    ends_at = time.monotonic() + seconds
    while not stop.exists() and time.monotonic() < ends_at:
        started = time.monotonic()
        with transaction.atomic():
            Notification.objects.create(
                id=uuid.uuid4(),
                service_id=service_id,
                key_type="live",
                channel="email",
                template=template,
                template_version=1,
                recipient="b@example.org",
                normalised_recipient="b@example.org",
                body="Dear Bo",
            )
            DailyCounter.objects.filter(service_id=service_id, day=day, kind="email", count__lt=10**9).update(
                count=F("count") + 1
            )
        waits.append((time.monotonic() - started) * 1000)
        time.sleep(WRITER_PAUSE_SECONDS)
    return waits


def _clean_up() -> int:
    from config.jobs import retention, rules
    from config.jobs.models import Trigger

    rule = rules.named("old-messages")
    assert rule
    row = retention.run(rule, Trigger.COMMAND)
    assert not row.error, row.error
    return row.removed


def _summary(waits: list[float]) -> str:
    cuts = statistics.quantiles(waits, n=1000)
    over = sum(wait > 100 for wait in waits)
    return (
        f"{len(waits):,} sends, median {cuts[499]:.1f} ms, 99 % {cuts[989]:.1f} ms, 99.9 % {cuts[998]:.1f} ms, "
        f"longest {max(waits):.0f} ms, {over} over 100 ms"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--writer"]:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django

        django.setup()
        print(json.dumps(_write(sys.argv[2], Path(sys.argv[3]))))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 100_000)
