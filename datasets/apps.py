"""The data set area."""

from importlib import import_module

from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    name = "datasets"
    verbose_name = "Data"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register our part of the shared commands and of clean-up: they need the models, which exist only now."""
        import_module("datasets.management.part")
        import_module("datasets.management.clean_up")
