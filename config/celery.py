"""The Celery application of both areas; tasks live in each area's `tasks` module."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("signalbox")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
