"""Import the models of the application `config`, so that Django finds them."""

from config.metrics.models import MetricValue
from config.queue.periodic import PeriodicJob
from config.queue.presence import Presence
from config.queue.worker_processes import WorkerProcess

__all__ = ["MetricValue", "PeriodicJob", "Presence", "WorkerProcess"]
