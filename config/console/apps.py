"""The app of the console. Its label `operations` is part of the console's URLs."""

from importlib import import_module

from django.apps import AppConfig
from django.contrib.admin import apps as django_admin

from config import areas


class OperationsConfig(AppConfig):
    name = "config.console"
    label = "operations"
    verbose_name = "Operations"
    default = True
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the console's retention rules. They import models, which are not ready earlier."""
        areas.register(self.name, *import_module("config.console.clean_up").RULES)


class ConsoleAdminConfig(django_admin.AdminConfig):
    """Django's admin app with `ConsoleSite` as its site."""

    default = False
    default_site = "config.console.site.ConsoleSite"
