"""The service's settings with a task that hangs, and a short time limit."""

from tests.quick_settings import *  # noqa: F403

CELERY_IMPORTS = ("tests.config.hanging_tasks",)
CELERY_TASK_TIME_LIMIT = 5  # longer than a drain
