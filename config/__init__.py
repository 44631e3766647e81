"""The base of both areas. It imports neither of them."""

from config.queue.app import app as celery_app

__all__ = ["celery_app"]
