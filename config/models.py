"""Import the models of the application `config`, so that Django finds them."""

from config.metrics.models import MetricValue
from config.queue.presence import Presence

__all__ = ["MetricValue", "Presence"]
