"""The providers of the setting PROVIDERS: `sandbox`, or `name=url` whose scheme decides the adapter.

To add one: a file here with a class like Smtp, and its schemes in `_ADAPTERS`. To remove one: the reverse.
Source: Developer experience §4; the sending contract §19.2.
"""

import random
import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from notifications.delivery.carrier import Carrier, Provider
from notifications.delivery.messages import Outgoing
from notifications.delivery.posts import Listens, TakesReceipts, TakesTexts
from notifications.delivery.providers.sandbox import SANDBOX, Sandbox

_NAME = re.compile(r"\A[a-z0-9][a-z0-9-]{0,58}\Z")  # it stands in addresses
_WEIGHT = re.compile(r"\A[1-9][0-9]{0,3}\Z")

# The services of anymail that speak HTTP and are supported by it.
ANYMAIL_SERVICES = (
    "brevo", "mailersend", "mailgun", "mailjet", "mailtrap", "mandrill", "postal", "postmark", "resend", "scaleway",
    "sparkpost", "unisender-go",
)  # fmt: skip

# scheme → module and class; a module is loaded where PROVIDERS asks for it: some bring an SDK that takes half a second.
_ADAPTERS: dict[str, str] = {
    "smtp": "smtp.Smtp",
    "smtp+tls": "smtp.Smtp",
    "smtps": "smtp.Smtp",
    "smpp": "smpp.Smpp",
    "smpps": "smpp.Smpp",
    "sns": "sns.Sns",
    "https": "gateway.Gateway",
    "http": "gateway.Gateway",  # to this very machine alone
    **{f"anymail+{service}": "anymail.Anymail" for service in ANYMAIL_SERVICES},
}

_SCHEMES = ", ".join(f"{scheme}://" for scheme in _ADAPTERS if not scheme.startswith("anymail"))
_SCHEMES += f" or anymail+…:// with one of {', '.join(ANYMAIL_SERVICES)}; the sandbox is the word sandbox alone"


def configured() -> tuple[Carrier, ...]:
    """Return the providers of this process. Raises ImproperlyConfigured, which names the setting."""
    return _carriers(tuple(settings.PROVIDERS))


def able_to_take(message: Outgoing, *, chance: random.Random | None = None) -> list[Carrier]:
    """Return who carries this message and is not failing now, in the order in which to ask.

    Those with a weight share the messages in its proportion; those without are asked in the order of the setting,
    behind the former.
    """
    chance = chance or random.SystemRandom()
    able = [carrier for carrier in configured() if carrier.carries(message) and carrier.circuit.allows()]
    # Drawing without putting back, each by its weight: Efraimidis and Spirakis, 2006.
    drawn = sorted((carrier for carrier in able if carrier.weight), key=lambda one: -(chance.random() ** one.share))
    return drawn + [carrier for carrier in able if not carrier.weight]


def taking_receipts(name: str) -> TakesReceipts | None:
    """Return the provider of this name, if it is one of ours and posts receipts to us."""
    provider = _named(name)
    return provider if isinstance(provider, TakesReceipts) else None


def taking_texts(name: str) -> TakesTexts | None:
    """Return the provider of this name, if it is one of ours and posts texts to us."""
    provider = _named(name)
    return provider if isinstance(provider, TakesTexts) else None


def listening() -> list[Listens]:
    """Return the providers that report over a connection of ours."""
    return [carrier.provider for carrier in configured() if isinstance(carrier.provider, Listens)]


def reporting() -> list[str]:
    """Return the names of the providers that report deliveries."""
    return [carrier.name for carrier in configured() if carrier.provider.reports_deliveries]


def _named(name: str) -> Provider | None:
    return next((carrier.provider for carrier in configured() if carrier.name == name), None)


@lru_cache(maxsize=4)
def _carriers(entries: tuple[str, ...]) -> tuple[Carrier, ...]:
    carriers = tuple(_carrier(entry.strip()) for entry in entries)
    names = [carrier.name for carrier in carriers]
    if not names or len(set(names)) < len(names):
        raise ImproperlyConfigured("PROVIDERS must name at least one provider, and each name once")
    return carriers


def _carrier(entry: str) -> Carrier:
    """Make one. What goes wrong is told without the URL, which may hold a password."""
    if entry == SANDBOX:
        return Carrier(provider=Sandbox())
    name, _, url = entry.partition("=")
    scheme = url.partition("://")[0]
    if not _NAME.match(name) or name == SANDBOX:
        raise ImproperlyConfigured("PROVIDERS must be `sandbox`, or name=url with other names of a-z, 0-9 and -")
    if scheme not in _ADAPTERS:
        raise ImproperlyConfigured(f"PROVIDERS: {name} must be a URL that starts with {_SCHEMES}")
    try:
        rest, weight = _weighed(url)
        return Carrier(provider=_adapter(scheme)(name, rest), weight=weight)
    except ValueError as error:
        raise ImproperlyConfigured(f"PROVIDERS: {name} {error}") from error


def _adapter(scheme: str) -> Callable[[str, str], Provider]:
    module, _, name = _ADAPTERS[scheme].partition(".")
    adapter: Callable[[str, str], Provider] = getattr(import_module(f"{__name__}.{module}"), name)
    return adapter


def _weighed(url: str) -> tuple[str, int | None]:
    """Take `weight=`, which all may have, out of the query. Raises ValueError."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    weights = [value for key, value in pairs if key == "weight"]
    if any(not _WEIGHT.match(weight) for weight in weights) or len(weights) > 1:
        raise ValueError("has a weight that must be a whole number from 1 to 9999, once")
    rest = urlencode([pair for pair in pairs if pair[0] != "weight"])
    return urlunsplit(parts._replace(query=rest)), int(weights[0]) if weights else None
