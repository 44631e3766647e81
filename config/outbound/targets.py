"""Check the URLs that users set for calls from this service. These checks need no network.

Source: docs/reference/security.md §6.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from django.conf import settings

from config.host_names import ascii_host

MAX_CHARACTERS = 2000
PRIVATE = "must not lead to a private network"
_EXAMPLE = "must be a URL such as https://example.org/callback"
_PORTS = {"https": 443, "http": 80}
_KEPT_IN_PATHS = "%/?:@!$&'()*+,;=~[]"

# Resolvers accept these unusual forms of an IP address: 2130706433, 0x7f.1, 127.1, 0177.0.0.1.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.IGNORECASE)

# `is_global` returns True for these blocks in some versions of Python, but no public web server is there.
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(block)
    for block in (
        "::/96",  # embedded IPv4, as in the next two and in 6to4 and Teredo: the IPv4 address may be private
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2002::/16",  # 6to4
        "2001::/23",  # IETF protocols: Teredo, ORCHID, benchmarks
        "100::/64",  # discarded packets
        "100:0:0:1::/64",
        "2001:db8::/32",  # documentation
        "3fff::/20",
        "5f00::/16",  # SRv6
        "fec0::/10",  # site-local: deprecated in 2004, but still used inside networks
        "192.0.0.0/24",  # IETF protocols, and the metadata host of a cloud provider
        "192.88.99.0/24",  # relays of 6to4
        "168.63.129.16/32",  # the host that gives the machines of Azure their settings
    )
)

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


class UnsafeUrl(ValueError):
    """The service must not call the URL. The message says what the URL must be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A parsed URL. Callers use these parts and never parse the text again.

    host: in ASCII, as sent; path: with the query, percent-encoded.
    """

    scheme: str
    host: str
    port: int
    path: str


def check_url(url: str) -> None:
    """Check the form of a URL, and its host if that is an IP address. Raises UnsafeUrl."""
    parse(url)


def parse(url: str) -> Target:
    """Return the parts of a URL that the service may call, as far as a check without network can decide.

    The scheme must be https; http is allowed into OUTBOUND_ALLOWED_NETWORKS only. `config.outbound.http_client`
    checks the IP addresses of a host name at each call.
    Raises UnsafeUrl.
    """
    if len(url) > MAX_CHARACTERS or re.search(r"[\s\x00-\x1f\x7f\\]", url) or not url.isprintable():
        raise UnsafeUrl(f"must be a URL of at most {MAX_CHARACTERS} characters without blanks or backslashes")
    try:
        parts = urlsplit(url)
        port = parts.port
        host = ascii_host(parts.hostname or "")
    except ValueError as error:
        raise UnsafeUrl(_EXAMPLE) from error
    if parts.username is not None or parts.password is not None:
        raise UnsafeUrl("must not contain a user name or password")
    if not host or port == 0:
        raise UnsafeUrl(_EXAMPLE)

    ip_address = _literal(host)
    if ip_address is None and _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        raise UnsafeUrl("must contain a host name, or an IP address in the usual form")
    allowed = ip_address is not None and is_allowed(ip_address)
    if parts.scheme != "https" and not (parts.scheme == "http" and allowed):
        raise UnsafeUrl("must start with https://")
    if ip_address is not None and not allowed and not is_public(ip_address):
        raise UnsafeUrl(PRIVATE)
    path = quote(parts.path or "/", safe=_KEPT_IN_PATHS)
    if parts.query:
        path += f"?{quote(parts.query, safe=_KEPT_IN_PATHS)}"
    return Target(scheme=parts.scheme, host=host, port=port or _PORTS[parts.scheme], path=path)


def is_local(target: Target) -> bool:
    """Return whether the host is an IP address in OUTBOUND_ALLOWED_NETWORKS. A host name could lead elsewhere."""
    ip_address = _literal(target.host)
    return ip_address is not None and is_allowed(ip_address)


def origin(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port. A secret that was set for this URL may be sent there only. Raises UnsafeUrl."""
    target = parse(url)
    return target.scheme, target.host.lower().rstrip("."), target.port


def is_public(ip_address: IPAddress) -> bool:
    """Return whether an IP address is public, also if it is an embedded IPv4 address."""
    ip_address = getattr(ip_address, "ipv4_mapped", None) or ip_address
    embedded = any(ip_address in network for network in _NOT_PUBLIC if network.version == ip_address.version)
    return ip_address.is_global and not ip_address.is_multicast and not ip_address.is_reserved and not embedded


def is_allowed(ip_address: IPAddress) -> bool:
    """Return whether OUTBOUND_ALLOWED_NETWORKS includes the IP address."""
    ip_address = getattr(ip_address, "ipv4_mapped", None) or ip_address
    networks = [ipaddress.ip_network(network) for network in settings.OUTBOUND_ALLOWED_NETWORKS]
    return any(ip_address in network for network in networks if network.version == ip_address.version)


def _literal(host: str) -> IPAddress | None:
    name = host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return ipaddress.IPv4Address("127.0.0.1")
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
