"""Every machine of the proof: HAProxy, two for Signalbox, two for PostgreSQL, three for Redis, three for etcd."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from uuid import UUID

from benchmarks.faults.stand import Answer, wait_for
from benchmarks.scaleout import file_servers
from benchmarks.scaleout.application import Application
from benchmarks.scaleout.load import Mail, send_during
from benchmarks.scaleout.machine import Machine
from benchmarks.scaleout.network import Network
from benchmarks.scaleout.postgresql import Cluster
from benchmarks.scaleout.proxies import SETTLE_SECONDS, Pooler, make_certificate, start_haproxy
from benchmarks.scaleout.redis_pair import RedisPair
from benchmarks.scaleout.verdict import Seen
from tests.notifications.provisioned import Provisioned

LOST_AFTER_SECONDS = 60
_SERVICE = {
    "name": "Scale-out",
    "live": True,
    "reply_to_addresses": [{"email_address": "reply@example.com"}],
    "file_contact": "help@example.org",
    "templates": [
        {"type": "email", "name": "email", "subject": "Hello", "content": "Dear all"},
        {"type": "email", "name": "file", "subject": "Hello", "content": "Here: ((doc))"},
    ],
    "api_keys": [{"name": "k", "type": "live"}],
}
_UNCERTAIN = "SELECT id FROM notifications_notification WHERE CAST(attempts AS text) LIKE '%uncertain%'"


class Stand:
    """Everything runs after the constructor, and ends with this program."""

    def __init__(self, debian: Path, folder: Path, previous: str | None) -> None:
        """previous: the git revision from which S9 upgrades; None: the latest tag."""
        self.folder, self.previous = folder, previous
        self.machine = machine = partial(Machine, debian=debian, folder=folder, network=Network())
        self.proxy = machine("proxy", 10)
        self.apps = (machine("app-1", 11), machine("app-2", 12))
        self.databases = (machine("postgresql-1", 21), machine("postgresql-2", 22))
        self.caches = (machine("redis-1", 31), machine("redis-2", 32))
        self.keepers = tuple(machine(f"etcd-{number}", 40 + number) for number in (1, 2, 3))
        self.mail = Mail(folder)
        self.redis = RedisPair(self.caches, (*self.caches, machine("redis-3", 33)))
        self.cluster = Cluster(self.databases, self.keepers, folder)
        self.application = Application(self.apps, folder, PROVIDERS=f"mail={self.mail.url}", **file_servers.VARIABLES)
        self.cluster.create_database((self.application.secrets / "passwords.sql").read_text())
        certificate, users = make_certificate(folder), self.cluster.user_list()
        for host in (self.proxy, *self.apps):
            start_haproxy(host, certificate)
        self.poolers = tuple(Pooler(app, users) for app in self.apps)

    def start_application(self) -> None:
        self.application.migrate()
        self.application.start_all()
        time.sleep(SETTLE_SECONDS)
        self.service = Provisioned(self.application, _SERVICE)  # type: ignore[arg-type]  # it has url and manage

    def observe(self, events: Callable[[], None]) -> Seen:
        """Send during the events, wait until every accepted message has arrived, and count."""
        began = time.monotonic()
        answers = send_during(self.service, events)
        ended = time.monotonic()
        accepted = {answer.id for answer in answers if answer.status == 201}
        wait_for(lambda: accepted <= set(self.mail.arrivals().counts()), LOST_AFTER_SECONDS, every=1)
        time.sleep(3)  # for late copies
        return self._count(answers, accepted, began, ended)

    def _count(self, answers: list[Answer], accepted: set[str], began: float, ended: float) -> Seen:
        arrivals = self.mail.arrivals()
        first: dict[str, float] = {}
        for at, identifier in arrivals.rows:
            first.setdefault(identifier, at)
        twice = {id for id, count in arrivals.counts().items() if count > 1 and first[id] > began}
        uncertain = {str(UUID(str(identifier))) for (identifier,) in self.cluster.rows(_UNCERTAIN)}
        return Seen(
            answers=answers,
            lost=len(accepted - set(first)),
            twice=len(twice),
            uncertain=len(twice & uncertain),
            longest_gap=arrivals.longest_gap(began, ended),
        )
