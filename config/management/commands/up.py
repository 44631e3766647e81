"""Start the whole service with one command, `make run`. Source: docs/reference/running.md §2."""

import errno
import os
import socket
import sys
import time
import urllib.request
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from config import env
from config.management import demo
from config.management.supervision import Supervisor
from config.queue import presence
from config.web.ip_addresses import is_loopback


class Command(BaseCommand):
    help = (
        "Migrate the database, create the demo data on the first run, and run web, worker and clock until Ctrl-C. "
        "Example: manage.py up --port 9000. "
        "Exit codes: 0 after a stop, 1 if the service cannot start or a process ends."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="host to listen on (default: 127.0.0.1)")
        parser.add_argument("--port", default=8000, type=int, help="port to listen on (default: 8000)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        if not 0 < port < 65536:
            raise CommandError("--port must be from 1 to 65535.")
        started = time.monotonic()
        host = f"[{host}]" if ":" in host and not host.startswith("[") else host
        _check_secrets(host)
        _check_free(host, port)
        _use_own_base_url(host, port)
        for line in self._prepare():
            self.stdout.write(line)

        def is_ready() -> bool:
            return _answers(host, port) and presence.is_there("worker", within_seconds=time.monotonic() - started)

        def say_ready() -> None:
            self.stdout.write(f"Ready in {time.monotonic() - started:.0f} s. Ctrl-C stops.")

        supervisor = Supervisor(_commands(host, port), self.stdout.write)
        if not supervisor.run(is_ready, say_ready):
            sys.exit(1)

    def _prepare(self) -> list[str]:
        """Migrate and create the demo data. Return the lines to print."""
        try:
            call_command("migrate", verbosity=0)
            if settings.ENVIRONMENT == "local" and demo.is_allowed():
                return demo.make()
        except OSError as error:
            raise CommandError(_reason(error)) from error
        except DatabaseError as error:
            raise CommandError(
                f"The database {settings.DATABASES['default']['NAME']} cannot be used: {error}"
            ) from error
        return [
            f"Console      {settings.BASE_URL}/admin/    ./manage.py createsuperuser creates an account",
            f"API          {settings.BASE_URL}           docs {settings.BASE_URL}/docs/",
        ]


def _check_secrets(host: str) -> None:
    """Raise CommandError if the secrets of the demo would be used on a host that other machines can reach."""
    made = [name for name in ("SECRET_KEY", "FIELD_KEYS", demo.PASSWORD) if name in env.demo_values()]
    if settings.ENVIRONMENT == "local" and made and not is_loopback(host):
        raise CommandError(
            f"{', '.join(made)} of .demo.env are for this machine only. To listen on {host}, set them yourself and "
            "set ENVIRONMENT=production."
        )


def _check_free(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise CommandError(
                    f"Port {port} of {host} is taken. Choose another with `make run PORT={port + 1}`."
                ) from error
            raise CommandError(f"The service cannot listen on {host}:{port}: {error.strerror}.") from error


def _use_own_base_url(host: str, port: int) -> None:
    """Set BASE_URL to this host and port if it is not set, and restart, because settings are read only once."""
    url = f"http://{host}:{port}"
    if settings.ENVIRONMENT != "local" or env.is_given("BASE_URL") or url == settings.BASE_URL:
        return
    env.keep({"BASE_URL": url})
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *sys.argv])  # noqa: S606  the same command


def _commands(host: str, port: int) -> dict[str, list[str]]:
    """Return the commands of the three processes, which are the same as in production."""
    manage = [sys.executable, str(Path(sys.argv[0]).resolve())]
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", str(env.ROOT / "config" / "web" / "gunicorn.py")]
    return {
        "web": [*gunicorn, "--bind", f"{host}:{port}", "config.wsgi"],
        "worker": [*manage, "worker"],
        "clock": [*manage, "clock"],
    }


def _answers(host: str, port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{host}:{port}/_status/serving", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return f"The disk of {settings.VAR} is full. Free some space and start again."
    return f"{error.filename or settings.VAR}: {error.strerror}. Run the service in a folder that you can write to."
