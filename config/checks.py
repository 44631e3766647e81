"""Warnings of `manage.py check --deploy` about settings that are valid but probably wrong."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

TAG = "signalbox"


@register(TAG, deploy=True)
def proxies_are_counted(app_configs: Sequence[AppConfig] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Return a warning if BASE_URL is https and no proxy is trusted to set the scheme, as gunicorn serves http only."""
    if settings.TRUSTED_PROXIES or not settings.BASE_URL.startswith("https://"):
        return []
    return [
        Warning(
            "TRUSTED_PROXIES is 0 and BASE_URL is https: pages redirect to themselves, and API calls get a 403.",
            hint="Set TRUSTED_PROXIES to the number of proxies in front of the service, or 1 for one that ends TLS.",
            id=f"{TAG}.W001",
        )
    ]
