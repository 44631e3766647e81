"""Send spans to an OpenTelemetry collector, as OTLP in JSON over HTTP.

opentelemetry-sdk does not fit: as soon as it is installed, redis-py imports it in every process, also in those of an
installation without traces. Source: docs/reference/running.md §14.
"""

import atexit
import hashlib
import os
import threading
import uuid
from collections import deque

import requests
import structlog
from celery import signals

from config.telemetry import traces
from config.telemetry.traces import Attribute, Span
from config.version import VERSION

SECONDS = 2.0  # between two posts
MOST_WAITING = 4096  # spans; the oldest are dropped if the collector is away
MOST_IN_POST = 512
TIMEOUT_SECONDS = 5
_SERVER, _CLIENT = 2, 3  # kinds of spans

log = structlog.get_logger()


class Exporter:
    """Collect the spans of this process and post them from a thread of its own.

    A forked process has no thread of its parent, so each process starts one with its first span.
    """

    def __init__(self, endpoint: str) -> None:
        self._url = f"{endpoint.rstrip('/')}/v1/traces"
        self._waiting: deque[Span] = deque(maxlen=MOST_WAITING)
        self._process = 0
        self._lock = threading.Lock()

    def record(self, span: Span) -> None:
        if self._process != os.getpid():
            self._begin()
        self._waiting.append(span)

    def flush(self) -> None:
        """Post what is waiting. Spans that the collector does not take are dropped."""
        with self._lock:
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(MOST_IN_POST, len(self._waiting)))]
                try:
                    requests.post(self._url, json=_request(batch), timeout=TIMEOUT_SECONDS).raise_for_status()
                except requests.RequestException as error:
                    log.debug("traces.not_sent", error=type(error).__name__)
                    return

    def _begin(self) -> None:
        self._process, self._lock = os.getpid(), threading.Lock()
        self._waiting.clear()  # those of the parent, which sends them itself
        threading.Thread(target=self._keep_flushing, name="traces", daemon=True).start()

    def _keep_flushing(self) -> None:
        stopped = threading.Event()
        while not stopped.wait(SECONDS):
            self.flush()


def start(endpoint: str) -> None:
    """Send each span to this URL, some seconds later and in batches."""
    exporter = Exporter(endpoint)
    traces.send_to(exporter.record)
    atexit.register(exporter.flush)
    # A process of a worker exits without `atexit`.
    signals.worker_process_shutdown.connect(lambda **kwargs: exporter.flush(), weak=False)


def _request(spans: list[Span]) -> dict[str, object]:
    resource = _attributes({"service.name": "signalbox", "service.version": VERSION})
    scope = {"scope": {"name": "signalbox", "version": VERSION}, "spans": [_span(span) for span in spans]}
    return {"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": [scope]}]}


def _span(span: Span) -> dict[str, object]:
    """Return the span in OTLP's JSON. Other processes can derive the ids of a request's span from the request's id."""
    root_id = hashlib.sha256(span.request_id.bytes).hexdigest()[:16]
    ids = {"spanId": root_id} if span.is_root else {"spanId": uuid.uuid4().hex[:16], "parentSpanId": root_id}
    ended = int(span.ended_at * 1e9)
    return {
        "traceId": span.request_id.hex,
        **ids,
        "name": span.name,
        "kind": _SERVER if span.is_root else _CLIENT,
        "startTimeUnixNano": str(ended - int(span.seconds * 1e9)),
        "endTimeUnixNano": str(ended),
        "attributes": _attributes(span.attributes),
    }


def _attributes(given: traces.Attributes) -> list[dict[str, object]]:
    return [{"key": key, "value": _value(value)} for key, value in given.items()]


def _value(value: Attribute) -> dict[str, object]:
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}
