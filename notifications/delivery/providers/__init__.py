"""The providers of the setting PROVIDERS, in its order: `sandbox`, or `name=url` whose scheme decides the adapter.

To add one: a file here with a class like Smtp, and its schemes in `_ADAPTERS`. To remove one: the reverse.
Source: Developer experience §4; the sending contract §19.2.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from notifications.delivery.circuit import Circuit
from notifications.delivery.messages import Accepted, IncomingText, Outgoing, PermanentFailure, TemporaryFailure
from notifications.delivery.providers.sandbox import Sandbox
from notifications.delivery.providers.smtp import Smtp

_NAME = re.compile(r"\A[a-z0-9][a-z0-9-]{0,58}\Z")  # it stands in addresses


class Provider(Protocol):
    """Somebody who takes messages of the kinds it `carries`."""

    name: str

    @property
    def carries(self) -> tuple[type[Any], ...]: ...

    def send(self, message: Any) -> Accepted:  # Any: one of the kinds it carries
        """Hand one message over. Raises TemporaryFailure or PermanentFailure; anything else counts as temporary."""


@runtime_checkable
class TakesTexts(Protocol):
    """A provider that also posts to us what people text back, with its token as a bearer."""

    name: str

    @property
    def posting_token(self) -> str: ...

    def incoming_text(self, report: Mapping[str, object]) -> IncomingText:
        """Read one text in the provider's own form. Raises ReportUnreadable."""


_ADAPTERS: dict[str, Callable[[str, str], Provider]] = {"smtp": Smtp, "smtp+tls": Smtp, "smtps": Smtp}


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """A provider and whether it is to be left alone for now."""

    provider: Provider
    circuit: Circuit = field(default_factory=Circuit)

    @property
    def name(self) -> str:
        return self.provider.name

    def may_take(self, message: Outgoing) -> bool:
        return isinstance(message, self.provider.carries) and self.circuit.allows()

    def send(self, message: Outgoing) -> Accepted:
        """Hand the message over and note how the provider is. Raises what the provider raises."""
        try:
            accepted = self.provider.send(message)
        except PermanentFailure:
            self.circuit.note_answer()
            raise
        except Exception as failure:
            self.circuit.note_failure(pause_at_once=isinstance(failure, TemporaryFailure) and failure.is_our_fault)
            raise
        self.circuit.note_answer()
        return accepted


def configured() -> tuple[Carrier, ...]:
    """Return the providers of this process. Raises ImproperlyConfigured, which names the setting."""
    return _carriers(tuple(settings.PROVIDERS))


def able_to_take(message: Outgoing) -> list[Carrier]:
    """Return who may be given this message now, in the order of the setting."""
    return [carrier for carrier in configured() if carrier.may_take(message)]


def taking_texts(name: str) -> TakesTexts | None:
    """Return the provider of this name, if it is one of ours and posts texts to us."""
    provider = next((carrier.provider for carrier in configured() if carrier.name == name), None)
    return provider if isinstance(provider, TakesTexts) else None


@lru_cache(maxsize=4)
def _carriers(entries: tuple[str, ...]) -> tuple[Carrier, ...]:
    carriers = tuple(Carrier(provider=_provider(entry.strip())) for entry in entries)
    names = [carrier.name for carrier in carriers]
    if not names or len(set(names)) < len(names):
        raise ImproperlyConfigured("PROVIDERS must name at least one provider, and each name once")
    return carriers


def _provider(entry: str) -> Provider:
    """Make one. What goes wrong is told without the URL, which may hold a password."""
    if entry == "sandbox":
        return Sandbox()
    name, _, url = entry.partition("=")
    scheme = url.partition("://")[0]
    if not _NAME.match(name):
        raise ImproperlyConfigured("PROVIDERS must be `sandbox`, or name=url with names of a-z, 0-9 and -")
    if scheme not in _ADAPTERS:
        raise ImproperlyConfigured(f"PROVIDERS: {name} must start with {', '.join(f'{key}://' for key in _ADAPTERS)}")
    try:
        return _ADAPTERS[scheme](name, url)
    except ValueError as error:
        raise ImproperlyConfigured(f"PROVIDERS: {name} {error}") from error
