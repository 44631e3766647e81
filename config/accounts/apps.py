"""Accounts of the console: sign-in, second factor, sessions and invites."""

from django.apps import AppConfig, apps


class AccountsConfig(AppConfig):
    name = "config.accounts"
    label = "accounts"
    verbose_name = "Accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Give Django's `auth` app the title of its group in the menu."""
        apps.get_app_config("auth").verbose_name = "Operations"
