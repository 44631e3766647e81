"""The Django app of the Notification Sending API."""

from importlib import import_module

from django.apps import AppConfig

from config import areas
from config.env import one_line_errors


class NotificationsConfig(AppConfig):
    name = "notifications"
    verbose_name = "Messages"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Check the settings of this area and register its parts. A wrong setting stops the start.

        The modules are imported here because they need the models.
        """
        with one_line_errors():
            import_module("notifications.checks").check_settings()
        import_module("notifications.tasks")
        import_module("notifications.receipts.listening")
        import_module("notifications.submission.sending.fallbacks")
        import_module("notifications.sandbox.tasks")
        import_module("notifications.delivery.callbacks.data_sets")
        areas.register(self.name, *import_module("notifications.parts").PARTS)
