"""The project itself as an application: the commands both areas share, and the presence of its processes."""

from importlib import import_module

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Signalbox"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks: they need the settings, which exist only now."""
        import_module("config.checks")
