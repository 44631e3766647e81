"""The project itself as an application: the commands both areas share."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
