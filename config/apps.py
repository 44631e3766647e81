"""The project itself as an application: the commands both areas share, and the presence of its processes."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Signalbox"
    default_auto_field = "django.db.models.BigAutoField"
