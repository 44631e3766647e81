"""The web server: `gunicorn -c config/gunicorn.py config.wsgi`; WEB_CONCURRENCY says how many processes.

Source: Security and reliability §7, §12.
"""

import gc
from typing import Any

from config import figures
from config.env import env
from config.settings.logs import LOGGING

workers = env.int("WEB_CONCURRENCY", 1)  # gunicorn reads it by itself, but once, when it is imported
worker_class = "config.web_worker.Worker"
threads = 8  # as many as the database pool has connections: more would only wait for one another
timeout = 30
graceful_timeout = 10
keepalive = 5
backlog = 512
limit_request_line = 8190
limit_request_fields = 100
limit_request_field_size = 8190
logconfig_dict = LOGGING
accesslog = None  # every request has its own line, which names the route and never the path or the query
logger_class = "config.web_worker.Logger"
control_socket_disable = True
max_requests = 20_000  # a slow leak in a library ends with the process
max_requests_jitter = 2_000
forwarded_allow_ips = ""  # who may say "https" is decided by TRUSTED_PROXIES alone


def post_worker_init(worker: Any) -> None:  # Any: no types published
    """Count for /metrics in the process that answers, not in the one above it, and leave alone what stays for ever.

    Else every collection of garbage goes through all modules and classes; a request makes some thousand objects, so by
    Python's own threshold several begin in each.
    """
    figures.start()
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
