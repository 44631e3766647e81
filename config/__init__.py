"""What both areas stand on; imports neither of them."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
