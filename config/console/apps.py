"""What both areas' admins stand on; the label is part of the console's addresses."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "config.console"
    label = "operations"
    verbose_name = "Operations"
    default_auto_field = "django.db.models.BigAutoField"
