"""The project itself as an application: the commands both areas share, and the presence of its processes."""

from importlib import import_module

from django.apps import AppConfig
from django.core.signals import request_started
from django.db import reset_queries


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Signalbox"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks: they need the settings, which exist only now."""
        import_module("config.checks")
        # It forgets the queries of the last request, which are kept for DEBUG alone. We never have that.
        request_started.disconnect(reset_queries)
