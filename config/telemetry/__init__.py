"""Traces and reports of errors for tools of the operator. Both are off by default and then import no library.

No attribute contains a recipient, a body, a token or a query. Source: docs/reference/running.md §14.
"""

from importlib import import_module

from django.conf import settings


def start() -> None:
    """Start what the settings turn on, in each process."""
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        import_module("config.telemetry.otlp").start(settings.OTEL_EXPORTER_OTLP_ENDPOINT)
    if settings.SENTRY_DSN:
        import_module("config.telemetry.sentry").start(settings.SENTRY_DSN)
