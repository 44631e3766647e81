"""The Django application of the shared commands, metrics and process presence."""

from importlib import import_module

from django.apps import AppConfig

from config import telemetry


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Signalbox"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Load the Celery application and the system checks, and start traces and error reports if they are on."""
        import_module("config.queue.app")  # here, because `import config` alone must not load Django
        import_module("config.checks")
        telemetry.start()
