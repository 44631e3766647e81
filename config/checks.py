"""What `manage.py check --deploy` warns of beside Django's own: settings that start, but hardly as meant."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

TAG = "signalbox"


@register(TAG, deploy=True)
def proxies_are_counted(app_configs: Sequence[AppConfig] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Return a warning where nothing in front may say https, and nothing here speaks it."""
    if settings.TRUSTED_PROXIES or not settings.BASE_URL.startswith("https://"):
        return []
    return [
        Warning(
            "TRUSTED_PROXIES is 0 and BASE_URL is https: pages redirect to themselves, API calls are answered 403.",
            hint="Set TRUSTED_PROXIES to the number of proxies in front, 1 for one that ends TLS.",
            id=f"{TAG}.W001",
        )
    ]
