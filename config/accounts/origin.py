"""The origin of the console, to which browsers tie passkeys: scheme, host and port.

Source: docs/reference/security.md §5.
A passkey of one host works at no other one, so the host comes from BASE_URL and not from the request. Only if BASE_URL
is a loopback address, as on a developer's machine, the request's host counts: 127.0.0.1 cannot have passkeys, and
localhost can.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from config.web import ip_addresses

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOrigin:
    """url: as browsers write it, without a default port and a slash. host: the relying party's id."""

    url: str
    host: str

    @property
    def has_passkeys(self) -> bool:
        """Return whether browsers allow passkeys here: not at IP addresses, and only https or localhost."""
        is_secure = self.url.startswith("https://") or self.host == "localhost"
        return is_secure and ip_addresses.parse(self.host) is None


def of_console(request: HttpRequest) -> RequestOrigin:
    """Return the origin of BASE_URL, or of the request if BASE_URL is a loopback address."""
    own = _parsed(settings.BASE_URL)
    return _parsed(f"{request.scheme}://{request.get_host()}") if ip_addresses.is_loopback(own.host) else own


def on_localhost(request: HttpRequest) -> str:
    """Return the URL of this page at localhost if the page was opened at a loopback IP address, else ""."""
    origin = of_console(request)
    if origin.host == "localhost" or not ip_addresses.is_loopback(origin.host):
        return ""
    port = urlsplit(origin.url).port
    return f"http://localhost{f':{port}' if port else ''}{request.get_full_path()}"


def _parsed(url: str) -> RequestOrigin:
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port and parts.port != _DEFAULT_PORTS.get(parts.scheme) else ""
    return RequestOrigin(url=f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}", host=host)
