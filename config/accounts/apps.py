"""Who may sign in to the console: the second factor of an account, and how long a session lives."""

from django.apps import AppConfig, apps


class AccountsConfig(AppConfig):
    name = "config.accounts"
    label = "accounts"
    verbose_name = "Accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Call the framework's accounts in the console what the sidebar calls them."""
        apps.get_app_config("auth").verbose_name = "Operations"
