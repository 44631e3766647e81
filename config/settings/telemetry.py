"""Settings of traces and error reports. Both are off if they are blank."""

from config import env_values
from config.env import env

OTEL_EXPORTER_OTLP_ENDPOINT = env.str("OTEL_EXPORTER_OTLP_ENDPOINT", "", validate=env_values.url_or_blank)
SENTRY_DSN = env.str("SENTRY_DSN", "", validate=env_values.sentry_dsn_or_blank)
