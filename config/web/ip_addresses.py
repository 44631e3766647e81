"""IP addresses of callers, as sockets and proxies write them, and the network that counts as one caller.

Source: docs/reference/security.md §5; docs/reference/files.md §9; docs/reference/running.md §9, §13.
"""

import ipaddress
import re
from collections.abc import Iterable

from django.conf import settings
from django.http import HttpRequest

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_IPV6_PREFIX = 64  # one household gets a /64, so a new address inside it costs nothing
_WITH_PORT = re.compile(r"\[(?P<v6>[^\]]*)\](?::\d+)?|(?P<v4>[\d.]+):\d+")
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_PROXY_HEADERS = (  # behind a proxy every caller looks local; each of these headers shows that there is a proxy
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_FORWARDED_SERVER",
    "HTTP_X_REAL_IP",
    "HTTP_FORWARDED",
    "HTTP_VIA",
)


def client_ip(request: HttpRequest) -> str | None:
    """Return the IP address of the caller.

    With TRUSTED_PROXIES = n it is the n-th entry of X-Forwarded-For from the right. Entries further to the left can be
    forged by the caller.
    """
    peer = parse(request.META.get("REMOTE_ADDR", ""))
    hops = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()]
    trusted: int = settings.TRUSTED_PROXIES
    forwarded = parse(hops[-trusted]) if 1 <= trusted <= len(hops) else None
    ip_address = forwarded or peer
    return str(ip_address) if ip_address else None


def client_network(request: HttpRequest) -> str | None:
    """Return the network of the caller, which limits count as one caller."""
    return network_of(client_ip(request)) or None


def is_local(request: HttpRequest) -> bool:
    """Return whether the caller runs on this machine: both ends of the connection are loopback, and no proxy is used.

    It is always False in production.
    """
    if settings.ENVIRONMENT == "production" or settings.TRUSTED_PROXIES:
        return False
    if any(request.META.get(name) for name in _PROXY_HEADERS):
        return False
    return request.META.get("SERVER_NAME") in _LOOPBACK and request.META.get("REMOTE_ADDR") in _LOOPBACK


def is_loopback(host: str) -> bool:
    """Return whether the host of a URL, with or without brackets, is this machine."""
    ip_address = parse(host.strip("[]"))
    return ip_address.is_loopback if ip_address else host == "localhost"


def is_in(ip_address: str | None, networks: Iterable[str]) -> bool:
    """Return whether an IP address is in one of these networks.

    >>> is_in("192.0.2.7", ["192.0.2.0/24"]), is_in("2001:db8::1", ["192.0.2.0/24"]), is_in(None, ["0.0.0.0/0"])
    (True, False, False)
    """
    parsed = parse(ip_address or "")
    return parsed is not None and any(parsed in ipaddress.ip_network(network) for network in networks)


def parse(text: str) -> IPAddress | None:
    """Return the IP address without port, brackets and zone. An IPv4 address inside IPv6 becomes IPv4.

    >>> parse("[2001:db8::1]:443"), parse("192.0.2.7:443"), parse("::ffff:192.0.2.7")
    (IPv6Address('2001:db8::1'), IPv4Address('192.0.2.7'), IPv4Address('192.0.2.7'))
    """
    found = _WITH_PORT.fullmatch(text)
    bare = (found["v6"] or found["v4"] or "") if found else text
    try:
        ip_address = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    return getattr(ip_address, "ipv4_mapped", None) or ip_address


def network_of(text: str | None) -> str:
    """Return the first address of the /64 of an IPv6 address, an IPv4 address itself, and "" for any other text.

    >>> network_of("2001:db8:1:2:3:4:5:6")
    '2001:db8:1:2::'
    """
    ip_address = parse(text or "")
    if isinstance(ip_address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(ip_address), _IPV6_PREFIX), strict=False).network_address)
    return str(ip_address or "")
