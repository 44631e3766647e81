"""Settings of production. The process does not start with unsafe values. Secrets and hosts have no default.

Source: docs/reference/security.md §8.
"""

from urllib.parse import urlsplit

from config.env import env
from config.settings import base, files, notifications
from config.settings.console import REQUIRE_SECOND_FACTOR

_OWN_HOSTS = [urlsplit(url).hostname or "" for url in (files.FILES_BASE_URL, base.DATA_BASE_URL)]
ALLOWED_HOSTS = [*env.list("ALLOWED_HOSTS", [urlsplit(base.BASE_URL).hostname or ""]), *_OWN_HOSTS]
ALLOW_EMBEDDED = env.bool("ALLOW_EMBEDDED", False)
SANDBOX_INBOX = env.bool("SANDBOX_INBOX", False)
SELF_GO_LIVE = env.bool("SELF_GO_LIVE", False)
SESSION_COOKIE_SECURE = True
SESSION_COOKIE_NAME = "__Host-s"
CSRF_COOKIE_SECURE = True
CSRF_COOKIE_NAME = "__Host-csrf"
SECURE_SSL_REDIRECT = True
SECURE_REDIRECT_EXEMPT = [r"^/*v2/", r"^/*data/", r"^providers/", r"^_status", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
if base.TRUSTED_PROXIES > 0:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

_KEY_CHARACTERS, _DISTINCT_CHARACTERS = 50, 5  # the limits of Django's check security.W009
_TOKEN_CHARACTERS = 20


def _is_weak(key: str) -> bool:
    return len(key) < _KEY_CHARACTERS or len(set(key)) < _DISTINCT_CHARACTERS


_KEY = f"at least {_KEY_CHARACTERS} random characters"
_TOKEN = f"must have at least {_TOKEN_CHARACTERS} random characters"
_STORE = "is not set: set it, or set ALLOW_EMBEDDED=on for SQLite and a queue of files on one machine"
_HTTPS = "must begin with https://"
_UNSAFE = {
    f"SECRET_KEY must have {_KEY}": _is_weak(base.SECRET_KEY),
    f"SECRET_KEY_FALLBACKS: each must have {_KEY}": any(map(_is_weak, base.SECRET_KEY_FALLBACKS)),
    "ALLOWED_HOSTS must name the hosts: with *, callers could choose the host in links": "*" in ALLOWED_HOSTS,
    f"DATABASE_URL {_STORE}": not (env.str("DATABASE_URL", "") or ALLOW_EMBEDDED),
    "DATABASE_URL names SQLite: set it to PostgreSQL, or set ALLOW_EMBEDDED=on for one machine": (
        env.str("DATABASE_URL", "").startswith("sqlite") and not ALLOW_EMBEDDED
    ),
    f"REDIS_URL {_STORE}": not (base.REDIS_URL or ALLOW_EMBEDDED),
    f"METRICS_TOKEN {_TOKEN}": 0 < len(base.METRICS_TOKEN) < _TOKEN_CHARACTERS,
    f"SANDBOX_TOKEN {_TOKEN}": 0 < len(notifications.SANDBOX_TOKEN) < _TOKEN_CHARACTERS,
    "SANDBOX_INBOX is on without a SANDBOX_TOKEN": SANDBOX_INBOX and not notifications.SANDBOX_TOKEN,
    "PROVIDERS names the sandbox: nothing would be sent": "sandbox" in notifications.PROVIDERS,
    f"BASE_URL {_HTTPS}": not base.BASE_URL.startswith("https://"),
    f"FILES_BASE_URL {_HTTPS}": not files.FILES_BASE_URL.startswith(("https://", base.BASE_URL)),
    f"DATA_BASE_URL {_HTTPS}": not base.DATA_BASE_URL.startswith(("https://", base.BASE_URL)),
    "EMAIL_DOMAIN is not set": notifications.EMAIL_DOMAIN.endswith(".invalid"),
    "OUTBOUND_ALLOWED_NETWORKS is not empty": bool(notifications.OUTBOUND_ALLOWED_NETWORKS),
    "SCANNER is none: files would be sent without a virus scan": files.SCANNER == "none",
    "REQUIRE_SECOND_FACTOR is off: a stolen password would be enough to sign in": not REQUIRE_SECOND_FACTOR,
}
if any(_UNSAFE.values()):
    raise ValueError("\n".join(error for error, is_there in _UNSAFE.items() if is_there))
