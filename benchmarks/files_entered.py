"""Count the source files whose functions a warm request calls: `python -m benchmarks.files_entered`.

Only files of the product count. Everything runs in this process on a temporary SQLite database, through Django's test
client, so the figures are the same on every machine.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = tuple(f"{ROOT / area}{os.sep}" for area in ("config", "datasets", "notifications"))
WARM_UP = 3  # requests before the counted one, which fill caches and do lazy imports

folder = tempfile.TemporaryDirectory(prefix="signalbox-files-")
os.environ |= {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "ENVIRONMENT": "test",
    "SECRET_KEY": "a-key-for-this-benchmark-alone-a-key-for-this-benchmark-alone",
    "FIELD_KEYS": "ZmllbGQta2V5LWZvci10aGUtc3VpdGUtYWxvbmUtMzI=",
    "DATABASE_URL": f"sqlite:///{folder.name}/database.sqlite3",
    "REDIS_URL": "",
    "VAR_DIR": folder.name,
    "LOG_LEVEL": "error",
}

import django  # noqa: E402  it reads the environment

django.setup()

from django.core.management import call_command  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.test.utils import setup_test_environment  # noqa: E402
from django.utils import timezone  # noqa: E402

from notifications import tasks  # noqa: E402
from notifications.models import Channel, Notification, Status  # noqa: E402
from tests.datasets.making import call, make_data_set, make_token, some_records  # noqa: E402
from tests.notifications.calling import email_template, make_caller  # noqa: E402


def entered(work: Callable[[], object]) -> tuple[int, int, int]:
    """Return the number of product files and functions that `work` enters, and of its calls."""
    functions: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PRODUCT):
            functions.append((frame.f_code.co_filename, frame.f_code.co_qualname))

    for _ in range(WARM_UP):
        work()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return len({file for file, _ in functions}), len(set(functions)), len(functions)


def main() -> None:
    setup_test_environment()  # allows the host name of the test client
    call_command("migrate", verbosity=0)
    caller = make_caller()
    template = email_template(caller)
    message = answered(caller.send_email(template), 201)["id"]
    data_set = make_data_set()
    token = make_token(data_set)
    records = some_records(3)
    requests: dict[str, Callable[[], object]] = {
        "POST an email": lambda: answered(caller.send_email(template), 201),
        "GET a message": lambda: answered(caller.get(f"/v2/notifications/{message}"), 200),
        "send an email to the sandbox": send_one,
        "POST 3 records": lambda: answered(call("POST", data_set, token, records), 200),
        "GET records": lambda: answered(call("GET", data_set, token), 200),
    }
    print(f"{'request':<32}{'files':>8}{'functions':>12}{'calls':>8}")
    for name, request in requests.items():
        files, functions, calls = entered(request)
        print(f"{name:<32}{files:>8}{functions:>12}{calls:>8}")


def send_one() -> None:
    """Create one due message and drain its channel."""
    unsent = Notification.objects.filter(status=Status.CREATED)
    unsent.update(next_attempt_at=timezone.now() + timedelta(days=1))
    one = unsent.earliest("created_at")
    unsent.filter(id=one.id).update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    tasks.drain(Channel.EMAIL)


def answered(response: HttpResponse, status: int) -> Any:
    """Return the answer's JSON."""
    if response.status_code != status:
        sys.exit(f"Answered {response.status_code} instead of {status}: {response.content.decode()[:300]}")
    return json.loads(response.content)


if __name__ == "__main__":
    with folder:
        main()
