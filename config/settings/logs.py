"""Settings of log lines. A line has ids only, never a recipient, a body, a token or a raw path."""

from config import env_values, logs
from config.env import env, environment

_FORMATS = env_values.one_of("text", "json", any_case=True)
_LEVELS = env_values.one_of("debug", "info", "warning", "error", "critical", any_case=True)
LOG_FORMAT = env.str("LOG_FORMAT", "json" if environment() == "production" else "text", validate=_FORMATS).lower()
LOG_LEVEL = env.str("LOG_LEVEL", "info", validate=_LEVELS).upper()
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "config.logs.Formatter", "log_format": LOG_FORMAT}},
    "handlers": {"stdout": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "line"}},
    # LOG_LEVEL is for the service's own events. Below WARNING, libraries log the data that they transfer.
    "root": {"handlers": ["stdout"], "level": "WARNING"},
    "loggers": {
        "django.request": {"level": "CRITICAL"},  # it logs the raw path; the request line names the route
        "django.security": {"level": "CRITICAL"},
        "axes": {"level": "CRITICAL"},  # it logs IP addresses and account names; the audit has both
        "celery.app.trace": {"level": "CRITICAL"},  # it logs messages of exceptions; config.queue.app does not
        "gunicorn.error": {"level": "INFO", "propagate": True},
    },
}
logs.configure(LOG_FORMAT, LOG_LEVEL)
