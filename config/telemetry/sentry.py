"""Send unexpected errors to Sentry, or to another service that speaks its protocol."""

from typing import Any

import sentry_sdk
from celery import signals

from config.telemetry import errors
from config.version import VERSION


def start(dsn: str) -> None:
    """Send each error to this DSN. Nothing else is collected: no request, no variable, no message of an exception."""
    sentry_sdk.init(
        dsn=dsn,
        release=f"signalbox@{VERSION}",
        server_name="",
        default_integrations=False,
        auto_enabling_integrations=False,
        auto_session_tracking=False,
        send_default_pii=False,
        include_local_variables=False,
        include_source_context=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        before_send=_without_texts,
    )
    errors.send_to(_send)
    # A process of a worker exits without `atexit`.
    signals.worker_process_shutdown.connect(lambda **kwargs: sentry_sdk.flush(2), weak=False)


def _send(error: BaseException, tags: dict[str, str]) -> None:
    with sentry_sdk.new_scope() as scope:
        for name, value in tags.items():
            scope.set_tag(name, value)
        scope.capture_exception(error)


def _without_texts(event: Any, hint: Any) -> Any:  # Any: the types of the SDK's hook
    """Remove the messages of exceptions, which may quote a request or a row."""
    for value in event.get("exception", {}).get("values", []):
        value["value"] = ""
    for name in ("request", "user", "extra", "modules", "breadcrumbs"):
        event.pop(name, None)
    return event
