"""The Django application of the shared commands, metrics and process presence."""

from importlib import import_module

from django.apps import AppConfig
from django.core.signals import request_started
from django.db import reset_queries


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Signalbox"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks, which need the settings."""
        import_module("config.checks")
        # It clears the queries that Django keeps in DEBUG mode, which is always off.
        request_started.disconnect(reset_queries)
