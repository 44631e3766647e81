"""Log lines: one event a line, ids only, never a recipient, a body, a token or a raw path."""

from config.env import env, environment

LOG_FORMAT = env.str("LOG_FORMAT", "json" if environment() == "production" else "text")
LOG_LEVEL = env.str("LOG_LEVEL", "info").upper()
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stdout": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout"}},
    "root": {"handlers": ["stdout"], "level": LOG_LEVEL},
}
