"""A provider in use: what it carries, how much of it, and whether it is to be left alone for now.

Failing again and again opens its circuit, in each process by itself; refusing us pauses it for all of them, since the
next process would be refused as well. Source: the sending contract §19.2; Security and reliability §11.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

import structlog

from notifications.delivery.circuit import Circuit
from notifications.delivery.messages import Accepted, Outgoing, PermanentFailure, TemporaryFailure
from notifications.models import ProviderPause

PAUSES_KNOWN_FOR_SECONDS = 5.0  # looked up no more often than that: they are rare, and messages are many

Answer = TypeVar("Answer")

log = structlog.get_logger()


class Provider(Protocol):
    """Somebody who takes messages of the kinds it `carries`."""

    name: str

    @property
    def carries(self) -> tuple[type[Any], ...]: ...

    @property
    def reports_deliveries(self) -> bool:
        """Return whether receipts follow an acceptance. If not, the acceptance decides the status."""

    def send(self, message: Any) -> Accepted:  # Any: one of the kinds it carries
        """Hand one message over. Raises TemporaryFailure or PermanentFailure; anything else counts as temporary."""


@runtime_checkable
class Askable(Protocol):
    """A provider that can be asked by our reference whether it has a message, if `is_askable`."""

    is_askable: bool

    def find(self, message: Any) -> Accepted | None:  # Any: one of the kinds it carries
        """Return what it said when it took the message; None: it has not got it. Raises what `send` raises."""


@runtime_checkable
class HasServer(Protocol):
    """A provider behind one host and port."""

    @property
    def server(self) -> tuple[str, int]: ...


class Pauses:
    """Which providers are paused, as this process has it; what it learns late, the provider tells it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._names: frozenset[str] = frozenset()
        self._known_until = 0.0

    def __contains__(self, name: str) -> bool:
        if self._clock() >= self._known_until:
            self._names = frozenset(ProviderPause.objects.values_list("provider", flat=True))
            self._known_until = self._clock() + PAUSES_KNOWN_FOR_SECONDS
        return name in self._names

    def forget(self) -> None:
        self._known_until = 0.0


pauses = Pauses()


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """weight: how large a part of the messages it gets, beside others that have one."""

    provider: Provider
    weight: int | None = None
    circuit: Circuit = field(default_factory=Circuit)

    @property
    def name(self) -> str:
        return self.provider.name

    @property
    def share(self) -> float:
        return 1 / (self.weight or 1)

    def carries(self, message: Outgoing) -> bool:
        return isinstance(message, self.provider.carries)

    def is_paused(self) -> bool:
        """Say whether it refuses us for now, without taking the minute's probe."""
        return self.name in pauses and ProviderPause.objects.filter(provider=self.name).exists()

    def lets_in(self) -> bool:
        """Say whether it may be asked: it is not paused, or this message is the minute's probe."""
        return not self.is_paused() or ProviderPause.objects.may_probe(self.name)

    @property
    def is_askable(self) -> bool:
        return isinstance(self.provider, Askable) and self.provider.is_askable

    def send(self, message: Outgoing) -> Accepted:
        """Hand the message over and note how the provider is. Raises what the provider raises."""
        return self._noted(self.provider.send, message)

    def find(self, message: Outgoing) -> Accepted | None:
        """Ask a provider that is askable for the message, and note how it is. Raises what the provider raises."""
        return self._noted(self.provider.find, message) if isinstance(self.provider, Askable) else None

    def _noted(self, call: Callable[[Outgoing], Answer], message: Outgoing) -> Answer:
        try:
            answer = call(message)
        except PermanentFailure:
            self._is_well()
            raise
        except Exception as failure:
            if isinstance(failure, TemporaryFailure) and failure.is_our_fault:
                self._pause(failure.reason)
            else:
                self.circuit.note_failure()
            raise
        self._is_well()
        return answer

    def _is_well(self) -> None:
        self.circuit.note_answer()
        if self.name in pauses:
            pauses.forget()
            if ProviderPause.objects.resume(self.name):
                log.info("provider.resumed", provider=self.name)

    def _pause(self, reason: str) -> None:
        pauses.forget()
        if ProviderPause.objects.pause(self.name, reason):
            log.error("provider.paused", provider=self.name, reason=reason)
