"""The providers of the setting PROVIDERS: `sandbox`, or `name=url`, whose scheme selects the adapter.

Two circuit breakers protect a provider. Temporary failures in a row open the breaker of one process. A rejected login
opens the circuit that all processes share through the database, because every process would be rejected.

To add a kind of provider, add a module here with a class like `Smtp` and its schemes in `_ADAPTERS`.
Source: docs/reference/running.md §4; docs/reference/sending-api.md §19.2; docs/reference/security.md §11.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import import_module
from operator import itemgetter
from threading import Lock
from typing import Any, Protocol, TypeVar, runtime_checkable
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import structlog
from cachetools import TTLCache, cached
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.circuit_breaker import CircuitBreaker
from notifications.delivery import pauses
from notifications.delivery.messages import (
    Accepted,
    Outgoing,
    OutgoingEmail,
    OutgoingSms,
    PermanentFailure,
    TemporaryFailure,
)
from notifications.delivery.posts import Listens, TakesReceipts, TakesTexts
from notifications.delivery.providers.sandbox import SANDBOX, Sandbox
from notifications.models import Channel, PauseKind, ProviderCircuit

FAILURES, OPEN_SECONDS = 5, 60.0  # temporary failures in a row; then one minute without calls
CIRCUITS_CACHED_SECONDS = 5.0  # open circuits are rare, messages are many

_KINDS = {Channel.SMS: OutgoingSms, Channel.EMAIL: OutgoingEmail}
_NAME = re.compile(r"\A[a-z0-9][a-z0-9-]{0,58}\Z")  # it is part of URLs
_WEIGHT = re.compile(r"\A[1-9][0-9]{0,3}\Z")

# Anymail backends that use HTTP and that Anymail's authors test.
ANYMAIL_SERVICES = (
    "brevo", "mailersend", "mailgun", "mailjet", "mailtrap", "mandrill", "postal", "postmark", "resend", "scaleway",
    "sparkpost", "unisender-go",
)  # fmt: skip

# Scheme → module and class. A module is imported when PROVIDERS uses it, because some SDKs take 0.5 s to import.
_ADAPTERS: dict[str, str] = {
    "smtp": "smtp.Smtp",
    "smtp+tls": "smtp.Smtp",
    "smtps": "smtp.Smtp",
    "smpp": "smpp.Smpp",
    "smpps": "smpp.Smpp",
    "sns": "sns.Sns",
    "https": "gateway.Gateway",
    "http": "gateway.Gateway",  # on this machine only
    **{f"anymail+{service}": "anymail.Anymail" for service in ANYMAIL_SERVICES},
}

_SCHEMES = ", ".join(f"{scheme}://" for scheme in _ADAPTERS if not scheme.startswith("anymail"))
_SCHEMES += (
    f" or anymail+…:// with one of {', '.join(ANYMAIL_SERVICES)}; the sandbox is written as `sandbox` without a URL"
)

Answer = TypeVar("Answer")

log = structlog.get_logger()


class ProviderAdapter(Protocol):
    """The code for one kind of provider. `carries` lists the kinds of messages that it sends."""

    name: str

    @property
    def carries(self) -> tuple[type[Any], ...]: ...

    @property
    def sends_receipts(self) -> bool:
        """Return whether delivery receipts follow an acceptance. If not, the acceptance decides the status."""

    def send(self, message: Any) -> Accepted:  # Any: one of the types in `carries`
        """Send one message. Raises TemporaryFailure or PermanentFailure; any other error counts as temporary."""


@runtime_checkable
class Askable(Protocol):
    """A provider that finds a message by its reference, if `is_askable` is true."""

    is_askable: bool

    def find(self, message: Any) -> Accepted | None:  # Any: one of the types in `carries`
        """Return the acceptance of a message, or None if the provider does not have it. Raises what `send` raises."""


@runtime_checkable
class HasServer(Protocol):
    """A provider with one host and port."""

    @property
    def server(self) -> tuple[str, int]: ...


@cached(TTLCache(1, CIRCUITS_CACHED_SECONDS), lock=Lock())
def _open_circuits() -> frozenset[str]:
    """Return the names of the providers with an open circuit. A circuit opened elsewhere is seen up to 5 s later."""
    return frozenset(ProviderCircuit.objects.values_list("provider", flat=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider in use.

    weight: its share of the messages beside other providers with a weight
    breaker: counts the temporary failures in this process
    """

    adapter: ProviderAdapter
    weight: int | None = None
    breaker: CircuitBreaker = field(
        default_factory=partial(CircuitBreaker, failures=FAILURES, open_seconds=OPEN_SECONDS)
    )

    @property
    def name(self) -> str:
        return self.adapter.name

    def carries(self, message: Outgoing) -> bool:
        return isinstance(message, self.adapter.carries)

    def is_stopped(self) -> bool:
        """Return whether it is paused or rejects Signalbox's login, without using the probe of this minute."""
        return pauses.is_paused(PauseKind.PROVIDER, self.name) or self._has_open_circuit()

    def allows(self) -> bool:
        """Return whether a message may go to it: it is not stopped, or this message is the probe of this minute."""
        if pauses.is_paused(PauseKind.PROVIDER, self.name):
            return False
        return not self._has_open_circuit() or ProviderCircuit.objects.may_probe(self.name)

    def _has_open_circuit(self) -> bool:
        return self.name in _open_circuits() and ProviderCircuit.objects.filter(provider=self.name).exists()

    @property
    def is_askable(self) -> bool:
        return isinstance(self.adapter, Askable) and self.adapter.is_askable

    def send(self, message: Outgoing) -> Accepted:
        """Send the message and update the circuits. Raises what the adapter raises."""
        return self._call(self.adapter.send, message)

    def find(self, message: Outgoing) -> Accepted | None:
        """Look the message up at an askable provider and update the circuits. Raises what the adapter raises."""
        return self._call(self.adapter.find, message) if isinstance(self.adapter, Askable) else None

    def _call(self, call: Callable[[Outgoing], Answer], message: Outgoing) -> Answer:
        try:
            answer = call(message)
        except PermanentFailure:
            self._note_success()
            raise
        except Exception as failure:
            if isinstance(failure, TemporaryFailure) and failure.opens_circuit:
                _open_circuits.cache_clear()
                if ProviderCircuit.objects.open(self.name, failure.reason):
                    log.error("provider.circuit_opened", provider=self.name, reason=failure.reason)
            else:
                self.breaker.note_failure()
            raise
        self._note_success()
        return answer

    def _note_success(self) -> None:
        self.breaker.note_success()
        if self.name in _open_circuits():
            _open_circuits.cache_clear()
            if ProviderCircuit.objects.close(self.name):
                log.info("provider.circuit_closed", provider=self.name)


def configured() -> tuple[Provider, ...]:
    """Return the providers of this process. Raises ImproperlyConfigured, which names the setting."""
    return _providers(tuple(settings.PROVIDERS))


def names_for(channel: Channel) -> list[str]:
    """Return the names of the providers that carry messages of a channel, in the order of the setting."""
    return [provider.name for provider in configured() if _KINDS[channel] in provider.adapter.carries]


def able_to_take(message: Outgoing, *, chance: random.Random | None = None) -> list[Provider]:
    """Return the providers that carry this message and whose breaker is closed, in the order of preference.

    Providers with a weight come first and share the messages by weight. The others follow in the order of the setting.
    """
    chance = chance or random.SystemRandom()
    able = [provider for provider in configured() if provider.carries(message) and provider.breaker.allows()]
    # Weighted random sampling without replacement: Efraimidis and Spirakis, 2006.
    weighted = [(-(chance.random() ** (1 / one.weight)), one) for one in able if one.weight]
    return [one for _, one in sorted(weighted, key=itemgetter(0))] + [one for one in able if not one.weight]


def taking_receipts(name: str) -> TakesReceipts | None:
    """Return the provider of this name if it posts delivery receipts."""
    provider = _named(name)
    return provider if isinstance(provider, TakesReceipts) else None


def taking_texts(name: str) -> TakesTexts | None:
    """Return the provider of this name if it posts received texts."""
    provider = _named(name)
    return provider if isinstance(provider, TakesTexts) else None


def listening() -> list[Listens]:
    """Return the providers that send delivery receipts over a connection that Signalbox keeps open."""
    return [provider.adapter for provider in configured() if isinstance(provider.adapter, Listens)]


def with_receipts() -> list[str]:
    """Return the names of the providers that send delivery receipts."""
    return [provider.name for provider in configured() if provider.adapter.sends_receipts]


def _named(name: str) -> ProviderAdapter | None:
    return next((provider.adapter for provider in configured() if provider.name == name), None)


@lru_cache(maxsize=4)
def _providers(entries: tuple[str, ...]) -> tuple[Provider, ...]:
    found = tuple(_provider_of(entry.strip()) for entry in entries)
    names = [provider.name for provider in found]
    if not names or len(set(names)) < len(names):
        raise ImproperlyConfigured("PROVIDERS must name at least one provider, and each name once")
    return found


def _provider_of(entry: str) -> Provider:
    """Return the provider of one entry. Errors leave out the URL, because it may contain a password."""
    if entry == SANDBOX:
        return Provider(adapter=Sandbox())
    name, _, url = entry.partition("=")
    scheme = url.partition("://")[0]
    if not _NAME.match(name) or name == SANDBOX:
        raise ImproperlyConfigured("PROVIDERS must be `sandbox`, or name=url with other names of a-z, 0-9 and -")
    if scheme not in _ADAPTERS:
        raise ImproperlyConfigured(f"PROVIDERS: {name} must be a URL that starts with {_SCHEMES}")
    try:
        rest, weight = _weighed(url)
        return Provider(adapter=_adapter(scheme)(name, rest), weight=weight)
    except ValueError as error:
        raise ImproperlyConfigured(f"PROVIDERS: {name} {error}") from error


def _adapter(scheme: str) -> Callable[[str, str], ProviderAdapter]:
    module, _, name = _ADAPTERS[scheme].partition(".")
    adapter: Callable[[str, str], ProviderAdapter] = getattr(import_module(f"{__name__}.{module}"), name)
    return adapter


def _weighed(url: str) -> tuple[str, int | None]:
    """Split the URL into itself without `weight=` and the weight. Raises ValueError."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    weights = [value for key, value in pairs if key == "weight"]
    if any(not _WEIGHT.match(weight) for weight in weights) or len(weights) > 1:
        raise ValueError("has a weight that must be a whole number from 1 to 9999, once")
    rest = urlencode([pair for pair in pairs if pair[0] != "weight"])
    return urlunsplit(parts._replace(query=rest)), int(weights[0]) if weights else None
