"""The processes of Signalbox: web, worker and clock on each of two machines, with the variables of `deploy`."""

import http.client
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from benchmarks.scaleout.configuration import deployed
from benchmarks.scaleout.machine import Machine
from benchmarks.scaleout.proxies import HOST
from tests.servers import ROOT, Program

WEB_PORT = 8000
ROLES = ("web", "worker", "clock")
_COMMANDS: dict[str, tuple[str, ...]] = {
    "web": ("-m", "gunicorn", "-c", "config/web/gunicorn.py", "--bind", "{address}:8000", "config.wsgi"),
    "worker": ("manage.py", "worker", "--concurrency", "2"),
    "clock": ("manage.py", "clock"),
}


class Application:
    """`url` and `manage` are what `tests.notifications.provisioned` needs."""

    url = f"https://{HOST}"

    def __init__(self, machines: tuple[Machine, Machine], folder: Path, **variables: str) -> None:
        self.machines, self.folder = machines, folder
        self.code = ROOT  # a restart runs the code of this folder
        self.secrets = folder / "secrets"
        self._variables = variables
        self.programs: dict[tuple[str, str], Program] = {}
        # PgBouncer listens beside the processes; `migrate` passes it by through HAProxy.
        subprocess.run(
            ["bash", ROOT / "deploy/secrets.sh", self.secrets, "127.0.0.1:6432"], check=True, capture_output=True
        )
        migrate = self.secrets / "DATABASE_URL.migrate"
        migrate.write_text(migrate.read_text().replace("127.0.0.1:6432", "127.0.0.1:5000"))
        (self.secrets / "PROVIDERS").write_text(variables.pop("PROVIDERS"))

    def environment(self, role: str) -> dict[str, str]:
        """Return the variables of a process: those of `deploy/signalbox.env`, of the units, and of several machines."""
        lines = deployed("signalbox.env").splitlines()
        given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
        files = {name: name for name in ("SECRET_KEY", "FIELD_KEYS", "METRICS_TOKEN", "PROVIDERS")}
        files["DATABASE_URL"] = f"DATABASE_URL.{'worker' if role == 'clock' else role}"
        several = {"REDIS_URL": "redis://127.0.0.1:6380/0", "DATABASE_POOLER": "pgbouncer"}
        if role == "migrate":
            del several["DATABASE_POOLER"]
        return {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            **given,
            **several,
            **{f"{name}_FILE": str(self.secrets / file) for name, file in files.items()},
            "VAR_DIR": str(self.folder / "var"),
            **self._variables,
        }

    def migrate(self) -> None:
        done = self._manage("migrate", "migrate", "--verbosity", "0")
        assert done.returncode == 0, done.stdout + done.stderr

    def manage(self, *words: str, input: str | None = None) -> subprocess.CompletedProcess[str]:
        return self._manage("web", *words, input=input)

    def start_all(self) -> None:
        for role in ROLES:
            for machine in self.machines:
                self.start(role, machine)
        for key in self.programs:
            self.wait_for(*key)

    def stop_all(self) -> None:
        for program in self.programs.values():
            program.ask_to_stop()
        for program in self.programs.values():
            program.stop(60)

    def start(self, role: str, machine: Machine) -> Program:
        program = self._start(role, machine, self.environment(role))
        self.programs[role, machine.name] = program
        return program

    def start_on(self, role: str, machine: Machine, environment: dict[str, str]) -> Program:
        """Start a process beside those of the application, and wait until it works."""
        program = self._start(role, machine, environment)
        self._wait(role, program, machine.address)
        return program

    def _start(self, role: str, machine: Machine, environment: dict[str, str]) -> Program:
        words = [word.format(address=machine.address) for word in _COMMANDS[role]]
        return machine.start_beside(role, sys.executable, *words, environment=environment, folder=self.code)

    def wait_for(self, role: str, name: str) -> None:
        """Wait until a started process works."""
        address = next(machine.address for machine in self.machines if machine.name == name)
        self._wait(role, self.programs[role, name], address)

    def _wait(self, role: str, program: Program, address: str) -> None:
        ready = {
            "web": lambda: self._serves(address),
            "worker": lambda: program.has_said("worker.ready"),
            "clock": lambda: True,
        }
        program.wait_until(ready[role])

    def restart(self, role: str, machine: Machine) -> None:
        """Restart a process as systemd does: SIGTERM, then the same command."""
        self.programs[role, machine.name].stop(60)
        self.start(role, machine)
        self.wait_for(role, machine.name)

    def _manage(self, role: str, *words: str, input: str | None = None) -> subprocess.CompletedProcess[str]:
        machine = self.machines[0]
        command = machine.beside(sys.executable, "manage.py", *words)
        return subprocess.run(
            command, env=self.environment(role), cwd=self.code, input=input, capture_output=True, text=True, timeout=120
        )

    def _serves(self, address: str) -> bool:
        connection = http.client.HTTPConnection(address, WEB_PORT, timeout=2)
        with suppress(OSError, http.client.HTTPException):
            connection.request("GET", "/_status/serving", headers={"Host": HOST, "X-Forwarded-Proto": "https"})
            return connection.getresponse().status == 200
        return False
