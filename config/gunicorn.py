"""The web server: `gunicorn -c config/gunicorn.py config.wsgi`; WEB_CONCURRENCY says how many processes.

Source: Security and reliability §7, §12.
"""

import ctypes
import gc
from contextlib import suppress
from typing import Any

from config import figures
from config.settings.base import WEB_CONCURRENCY
from config.settings.logs import LOGGING

workers = WEB_CONCURRENCY  # gunicorn reads it by itself, but once, when it is imported
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

LARGE_BYTES = 1024 * 1024
_M_MMAP_THRESHOLD = -3  # malloc.h


def post_worker_init(worker: Any) -> None:  # Any: no types published
    """Count for /metrics in the process that answers, not in the one above it, and care for its memory."""
    figures.start()
    _leave_alone_what_stays()
    _give_back_large_blocks()


def _leave_alone_what_stays() -> None:
    """Else every collection of garbage goes through all modules and classes.

    A request makes some thousand objects, so by Python's own threshold several collections begin in each.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def _give_back_large_blocks() -> None:
    """Have the C library take large blocks from the system and give them back at once.

    glibc does so at first; but once a block has been freed it keeps others of its size, of up to 32 MiB, in the heap of
    each thread, where what lies behind them holds them. Source: mallopt(3). Other libraries have no such call.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
