"""The web server: `gunicorn -c config/gunicorn.py config.wsgi`; gunicorn's own WEB_CONCURRENCY says how many processes.

Source: Security and reliability §7, §12.
"""

from config.settings.logs import LOGGING

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
control_socket_disable = True
max_requests = 20_000  # a slow leak in a library ends with the process
max_requests_jitter = 2_000
forwarded_allow_ips = ""  # who may say "https" is decided by TRUSTED_PROXIES alone
