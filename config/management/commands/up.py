"""Start the whole service with one command, `make run`. Source: docs/reference/running.md §2."""

import errno
import os
import socket
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from config import env
from config.management import demo, supervision
from config.management.supervision import Child, Ready, Supervisor
from config.queue import worker
from config.queue.app import app
from config.web.ip_addresses import is_loopback


class Command(BaseCommand):
    help = (
        "Migrate the database, create the demo data on the first run, and run web, worker and clock until Ctrl-C. "
        "Example: manage.py up --port 9000. "
        "A process that ends starts again. Exit codes: 0 after a stop, 1 if the service cannot start."
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
        import_all()
        self._prepare_in_a_fork()
        ready = Ready()

        def is_ready() -> bool:
            return ready.have(1) and _answers(host, port)

        def say_ready() -> None:
            self._show(f"Ready in {time.monotonic() - started:.0f} s. Ctrl-C stops.")

        def died(child: Child) -> None:
            self._show(f"{child.name} {child.ending}. It starts again in {child.delay_seconds:g} s.")

        programs: dict[str, Callable[[], object]] = {
            "web": partial(_serve, host, port),
            "worker": partial(worker.run, worker.groups_of_all(), ready=ready.note, with_clock=True),
        }
        fallen = Supervisor(programs, died=died, show=self._show).run(is_ready, say_ready)
        if fallen:
            self._show(f"{fallen.name} {fallen.ending}. Its last lines:")
            for line in fallen.last_lines:
                self._show(f"  {line}")
            sys.exit(1)

    def _show(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()  # the output may be a pipe or a file

    def _prepare_in_a_fork(self) -> None:
        """Prepare in a fork, which takes its connections and its memory with it."""
        pid = supervision.fork(self._prepare_and_show)
        try:
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        except KeyboardInterrupt:  # the fork got it, too
            code = supervision.INTERRUPTED
        if code:
            sys.exit(code)

    def _prepare_and_show(self) -> int:
        try:
            for line in self._prepare():
                self._show(line)
        except CommandError as error:
            self.stderr.write(f"CommandError: {error}")
            return 1
        return 0

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


def import_all() -> None:
    """Import what the forks need, so that they share it."""
    for name in (settings.ROOT_URLCONF, "gunicorn.app.wsgiapp", "gunicorn.workers.gthread", "config.web.worker"):
        import_module(name)
    app.loader.import_default_modules()


def _serve(host: str, port: int) -> None:
    sys.argv = ["gunicorn", "-c", str(env.ROOT / "config/web/gunicorn.py"), "--bind", f"{host}:{port}", "config.wsgi"]
    import_module("gunicorn.app.wsgiapp").run()


def _answers(host: str, port: int) -> bool:
    connection = HTTPConnection(host.strip("[]"), port, timeout=2)
    try:
        connection.request("GET", "/_status/serving")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return f"The disk of {settings.VAR} is full. Free some space and start again."
    return f"{error.filename or settings.VAR}: {error.strerror}. Run the service in a folder that you can write to."
