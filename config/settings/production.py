"""What production turns on. There is no secret and no host to fall back to."""

from urllib.parse import urlsplit

from config.env import env
from config.settings.base import BASE_URL
from config.settings.files import FILES_BASE_URL

ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", [urlsplit(url).hostname or "" for url in (BASE_URL, FILES_BASE_URL)])
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
if env.int("TRUSTED_PROXIES", 0) > 0:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
