"""Send 20 emails a second through HAProxy, and read which ones the mail server got."""

import http.client
import ssl
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from benchmarks.faults.stand import Answer, Caller, Load
from benchmarks.scaleout.network import NETWORK, OWN
from benchmarks.scaleout.proxies import HOST
from tests.notifications.provisioned import Provisioned
from tests.servers import ROOT, Program

PROXY = f"{NETWORK}10"
PER_SECOND = 20
MAIL_PORT = 2525
_ANYONE = ssl._create_unverified_context()  # noqa: S323  a temporary certificate


class TlsCaller(Caller):
    """A caller that connects to HAProxy by its address and names the host, as after a DNS lookup."""

    def _headers(self) -> dict[str, str]:
        return {**super()._headers(), "Host": HOST}

    def _connect(self) -> None:
        self._connection = http.client.HTTPSConnection(PROXY, 443, timeout=60, context=_ANYONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """Messages at the mail server: the time and the id of each, in order."""

    rows: list[tuple[float, str]] = field(default_factory=list)

    def counts(self) -> Counter[str]:
        return Counter(identifier for _, identifier in self.rows)

    def longest_gap(self, since: float, until: float) -> float:
        """Return the longest time without a message between two moments."""
        times = [since, *(at for at, _ in self.rows if since < at < until), until]
        return max(later - earlier for earlier, later in pairwise(times))


class Mail:
    """The mail server of the stand."""

    url = f"smtp://{OWN}:{MAIL_PORT}"

    def __init__(self, folder: Path) -> None:
        self._file = folder / "mail.txt"
        self._file.touch()
        command = (sys.executable, "-m", "benchmarks.mail_sink", str(MAIL_PORT), str(self._file), OWN)
        self._program = Program(*command, log=folder / "mail.log", folder=ROOT)

    def arrivals(self) -> Arrivals:
        lines = [line.split() for line in self._file.read_text().splitlines()]
        return Arrivals(rows=[(float(at), identifier) for at, identifier in lines])


def send_during(service: Provisioned, events: Callable[[], None]) -> list[Answer]:
    """Return the answers to 20 calls a second while the events happen."""
    load = Load(service, PER_SECOND, caller=TlsCaller)
    try:
        events()
    finally:
        answers = load.stop()
    return answers
