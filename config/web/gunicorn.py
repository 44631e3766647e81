"""The web server: `gunicorn -c config/web/gunicorn.py config.wsgi`; WEB_CONCURRENCY sets the number of processes.

Source: docs/reference/security.md §7, §12.
"""

import ctypes
import gc
import signal
from contextlib import suppress
from typing import Any

from config.metrics import registry
from config.settings.base import DRAIN_SECONDS, WEB_CONCURRENCY
from config.settings.logs import LOGGING
from config.web import draining

workers = WEB_CONCURRENCY  # gunicorn would read the variable only once, when it is imported
worker_class = "config.web.worker.Worker"
threads = 8  # the size of the database pool: more threads would wait for a connection
timeout = 30
graceful_timeout = 10
keepalive = 5
backlog = 512
limit_request_line = 8190
limit_request_fields = 100
limit_request_field_size = 8190
logconfig_dict = LOGGING
accesslog = None  # the middleware logs each request with its route, never with the path or the query
logger_class = "config.web.worker.Logger"
control_socket_disable = True
max_requests = 20_000  # limits a slow memory leak in a library
max_requests_jitter = 20_000  # callers wait for a second if all processes start again at the same time
forwarded_allow_ips = ""  # only TRUSTED_PROXIES decides which proxy is trusted

LARGE_BYTES = 1024 * 1024
HEAPS = 1
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # malloc.h


def when_ready(server: Any) -> None:  # Any: no types published
    """Make SIGTERM drain the server before it stops. gunicorn closes its socket at once, and calls would get a 502."""
    draining.before(signal.SIGTERM, seconds=DRAIN_SECONDS)


def post_worker_init(worker: Any) -> None:  # Any: no types published
    """Start the metrics of a web process and set up its memory."""
    registry.start()
    _freeze_garbage_collection()
    _give_back_large_blocks()


def _freeze_garbage_collection() -> None:
    """Exclude modules and classes from garbage collection, and collect less often.

    A request makes about a thousand objects, so Python's default threshold starts several collections in each.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def _give_back_large_blocks() -> None:
    """Make the C library return large blocks of memory to the system at once.

    By default glibc raises its threshold to up to 32 MiB after the first freed block, and then keeps such blocks in
    the heap of each thread. One heap for all threads keeps 9 MiB less after large forms than two. The interpreter lock
    lets only one thread allocate at a time anyway.
    Source: mallopt(3). Other C libraries do not have this function.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
        library.mallopt(_M_ARENA_MAX, HEAPS)
