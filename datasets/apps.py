"""The data set area."""

from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    name = "datasets"
    verbose_name = "Data"
    default_auto_field = "django.db.models.BigAutoField"
