"""Start everything with one command: `make run`. Source: Developer experience §2."""

import errno
import ipaddress
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
from django.core.management.base import BaseCommand
from django.db import DatabaseError

from config import env, models
from config.management import demo
from config.management.parts import Refused
from config.management.supervision import Supervisor


class Command(BaseCommand):
    help = (
        "Migrate, make the demo data on the first run, and run web, worker and clock until Ctrl-C. "
        "Example: manage.py up --port 9000. Exit code 0 after a stop, 1 where it cannot start or a process has died."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="where to listen (127.0.0.1)")
        parser.add_argument("--port", default=8000, type=int, help="where to listen (8000)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        started = time.monotonic()
        host = f"[{host}]" if ":" in host and not host.startswith("[") else host
        _check_secrets(host)
        _check_free(host, port)
        _settle_address(host, port)
        for line in self._prepare():
            self.stdout.write(line)

        def is_ready() -> bool:
            return _answers(host, port) and models.is_there("worker", within_seconds=time.monotonic() - started)

        def say_ready() -> None:
            self.stdout.write(f"Ready in {time.monotonic() - started:.0f} s. Ctrl-C stops.")

        supervisor = Supervisor(_commands(host, port), self.stdout.write)
        if not supervisor.run(is_ready, say_ready):
            sys.exit(1)

    def _prepare(self) -> list[str]:
        """Migrate and make the demo data; returns the lines to print."""
        try:
            call_command("migrate", verbosity=0)
            if settings.ENVIRONMENT == "local" and demo.is_allowed():
                return demo.make()
        except OSError as error:
            raise Refused(_reason(error)) from error
        except DatabaseError as error:
            raise Refused(f"The database {settings.DATABASES['default']['NAME']} cannot be used: {error}") from error
        return [
            f"Console      {settings.BASE_URL}/admin/    ./manage.py createsuperuser makes an account",
            f"API          {settings.BASE_URL}           docs {settings.BASE_URL}/docs/",
        ]


def _check_secrets(host: str) -> None:
    """Secrets made for a demo are for this machine alone."""
    made = [name for name in ("SECRET_KEY", "FIELD_KEYS", demo.PASSWORD) if name in env.demo_values()]
    if settings.ENVIRONMENT == "local" and made and not _is_loopback(host):
        raise Refused(
            f"{', '.join(made)} of .demo.env are for this machine alone: to listen on {host}, set them yourself and "
            "ENVIRONMENT=production."
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _check_free(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise Refused(
                    f"Port {port} of {host} is taken: choose another with `make run PORT={port + 1}`."
                ) from error
            raise Refused(f"{host}:{port} cannot be listened on: {error.strerror}.") from error


def _settle_address(host: str, port: int) -> None:
    """Where no BASE_URL was given, it is where we listen. Settings are read once, so begin again with the new one."""
    address = f"http://{host}:{port}"
    if settings.ENVIRONMENT != "local" or env.is_given("BASE_URL") or address == settings.BASE_URL:
        return
    env.keep({"BASE_URL": address})
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *sys.argv])  # noqa: S606  ourselves


def _commands(host: str, port: int) -> dict[str, list[str]]:
    """Return the three processes, the same as in production."""
    manage = [sys.executable, str(Path(sys.argv[0]).resolve())]
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", str(env.ROOT / "config" / "gunicorn.py")]
    return {
        "web": [*gunicorn, "--bind", f"{host}:{port}", "config.wsgi"],
        "worker": [*manage, "worker"],
        "clock": [*manage, "clock"],
    }


def _answers(host: str, port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{host}:{port}/_status/ready", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return f"No space on the disk of {settings.VAR}: make room and start again."
    return f"{error.filename or settings.VAR}: {error.strerror}. Run it where you may write."
