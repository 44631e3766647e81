"""What must not be in production: system checks there, and so refusals to start.

Source: Security and reliability §8.
"""

from collections.abc import Sequence
from typing import Any

from cryptography.fernet import Fernet
from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

TAG = "signalbox"


@register(TAG)
def production_is_safe(app_configs: Sequence[AppConfig] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Return one error for each setting that is for a developer's machine alone. Elsewhere than in production: none."""
    if settings.ENVIRONMENT != "production":
        return []
    faults = {
        "E001": _wrong_keys(),
        "E002": "PROVIDERS names the sandbox: nothing would be sent" if "sandbox" in settings.PROVIDERS else "",
        "E003": _plain("BASE_URL", settings.BASE_URL),
        "E004": _plain("FILES_BASE_URL", settings.FILES_BASE_URL),
        "E005": "EMAIL_DOMAIN is not set" if not _is_real(settings.EMAIL_DOMAIN) else "",
        "E006": "OUTBOUND_ALLOWED_NETWORKS is not empty" if settings.OUTBOUND_ALLOWED_NETWORKS else "",
        "E007": (
            "SANDBOX_INBOX is on without a SANDBOX_TOKEN"
            if settings.SANDBOX_INBOX and not settings.SANDBOX_TOKEN
            else ""
        ),
        "E008": (
            "SCANNER is none: files would be sent that nobody has looked at for viruses"
            if settings.SCANNER == "none"
            else ""
        ),
        "E009": (
            "REQUIRE_SECOND_FACTOR is off: a stolen password alone would open the console"
            if not settings.REQUIRE_SECOND_FACTOR
            else ""
        ),
    }
    return [Error(fault, id=f"{TAG}.{number}") for number, fault in faults.items() if fault]


def _plain(name: str, url: str) -> str:
    return "" if url.startswith("https://") else f"{name} must begin with https://"


def _is_real(domain: str) -> bool:
    return bool(domain) and not domain.endswith(".invalid")


def _wrong_keys() -> str:
    try:
        for key in settings.FIELD_KEYS:
            Fernet(key)
    except ValueError:
        return "FIELD_KEYS holds a value that is no key: 32 bytes in URL-safe base64, several with commas between"
    return ""
