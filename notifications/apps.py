"""The sending area."""

from importlib import import_module

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "notifications"
    verbose_name = "Messages"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Read PROVIDERS, so that a wrong value stops the start, and register our part of the shared commands
        and of clean-up.

        Both need the models, which exist only now.
        """
        import_module("notifications.delivery.providers").configured()
        import_module("notifications.management.part")
        import_module("notifications.receipts.listening")
        import_module("notifications.management.clean_up")
