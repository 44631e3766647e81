"""Read IP addresses as sockets and proxies write them, and return the network that counts as one caller.

Source: Security and reliability §5; Files sent by email §9.
"""

import ipaddress
import re

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_IPV6_PREFIX = 64  # what one household has: inside it an address costs nothing
_WITH_PORT = re.compile(r"\[(?P<v6>[^\]]*)\](?::\d+)?|(?P<v4>[\d.]+):\d+")


def parse(text: str) -> Address | None:
    """Return the IP address, without the port, brackets or zone; one that is IPv4 inside IPv6 as IPv4.

    >>> parse("[2001:db8::1]:443"), parse("192.0.2.7:443"), parse("::ffff:192.0.2.7")
    (IPv6Address('2001:db8::1'), IPv4Address('192.0.2.7'), IPv4Address('192.0.2.7'))
    """
    found = _WITH_PORT.fullmatch(text)
    bare = (found["v6"] or found["v4"] or "") if found else text
    try:
        address = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def network_of(text: str | None) -> str:
    """Return the first address of the /64 of an IPv6 address, an IPv4 address itself, and "" for anything else.

    >>> network_of("2001:db8:1:2:3:4:5:6")
    '2001:db8:1:2::'
    """
    address = parse(text or "")
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(address), _IPV6_PREFIX), strict=False).network_address)
    return str(address or "")
