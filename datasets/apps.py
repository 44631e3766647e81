"""The data set area."""

from importlib import import_module

from django.apps import AppConfig

from config import areas


class DatasetsConfig(AppConfig):
    name = "datasets"
    verbose_name = "Data"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the parts of this area. They import models, so this cannot happen earlier."""
        areas.register(self.name, *import_module("datasets.parts").PARTS)
