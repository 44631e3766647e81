"""Settings of Django with the product's database and pool only: no middleware, no applications."""

from config.settings.base import ALLOWED_HOSTS, SECRET_KEY, USE_TZ
from config.settings.databases import DATABASES

__all__ = ["ALLOWED_HOSTS", "DATABASES", "SECRET_KEY", "USE_TZ"]

DEBUG = False
INSTALLED_APPS: list[str] = []
MIDDLEWARE: list[str] = []
ROOT_URLCONF = "benchmarks.floor.urls"
REST_FRAMEWORK = {"UNAUTHENTICATED_USER": None}  # there are no accounts
