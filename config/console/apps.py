"""What both areas' admins stand on; the label is part of the console's addresses."""

from importlib import import_module

from django.apps import AppConfig
from django.contrib.admin import apps as django_admin


class OperationsConfig(AppConfig):
    name = "config.console"
    label = "operations"
    verbose_name = "Operations"
    default = True
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the console's own rules of clean-up: they need the models, which exist only now."""
        import_module("config.console.clean_up.own")


class ConsoleAdminConfig(django_admin.AdminConfig):
    """Django's admin with our site in place of its own."""

    default = False
    default_site = "config.console.site.ConsoleSite"
