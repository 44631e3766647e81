"""The models of the application `config`, for Django to find; each stands with its subject."""

from config.metrics.models import MetricValue
from config.queue.presence import Presence

__all__ = ["MetricValue", "Presence"]
