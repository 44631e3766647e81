"""Write log lines: one event a line, JSON in production and text locally, at most 8 KB, without text from requests.

structlog writes the service's events to stdout, and `Formatter` gives records of libraries the same format.
django-structlog 11 does not fit: it accepts request ids of callers and logs raw paths and exception messages.
Source: docs/reference/running.md §14; docs/reference/security.md §7.
"""

import json
import logging
import sys
import traceback
from collections.abc import Callable
from typing import Any

import structlog
from structlog.typing import EventDict, WrappedLogger

from config.telemetry import errors

MAX_LINE_BYTES = 8192
MAX_VALUE_CHARACTERS = 1000
_QUOTING = ("Invalid request", "Error handling request")  # gunicorn quotes the request line with path and query
_FIRST = ("ts", "level", "event", "request_id")
_encode = json.JSONEncoder(default=str).encode
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)}


def configure(log_format: str, level: str) -> None:
    """Write the service's events to stdout in this format. Events below `level` cost almost no time."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            collect_error,
            *_finish(log_format),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.WriteLoggerFactory(sys.stdout),
        cache_logger_on_first_use=True,
    )


class Formatter(logging.Formatter):
    """Format the log records of libraries in the same way as events."""

    def __init__(self, log_format: str) -> None:
        super().__init__()
        self._finish = _finish(log_format)

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        message = next((words for words in _QUOTING if message.startswith(words)), message)
        event: Any = {"event": message, "level": record.levelname.lower(), "logger": record.name}
        if record.exc_info and record.exc_info[0]:
            event["exc_info"] = record.exc_info
        for process in self._finish:
            event = process(None, record.levelname, event)
        return str(event)


def _finish(log_format: str) -> list[Callable[[WrappedLogger, str, EventDict], Any]]:
    return [
        structlog.processors.TimeStamper(fmt="iso", key="ts"),
        name_trace,
        cut_long_values,
        render_json if log_format == "json" else render_text,
    ]


def collect_error(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Pass the exception of an error event to the service that collects errors, if there is one."""
    if event.get("exc_info") and event["level"] == "error":
        error = _exception(event["exc_info"])
        tags = {name: str(event[name]) for name in ("request_id", "task", "job") if event.get(name)}
        if error:
            errors.collect(error, event=str(event["event"]), **tags)
    return event


def name_trace(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Replace an exception with its type and the places in its traceback. Its message may quote a request."""
    error = _exception(event.pop("exc_info", None))
    if error:
        event["error"] = type(error).__qualname__
        frames = traceback.extract_tb(error.__traceback__)[-20:]
        event["trace"] = [f"{_short(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
    return event


def _exception(given: Any) -> BaseException | None:  # Any: what structlog and logging accept as exc_info
    found = given[1] if isinstance(given, tuple) else sys.exception() if given is True else given
    return found if isinstance(found, BaseException) else None


def cut_long_values(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    for name, value in event.items():
        if isinstance(value, str) and len(value) > MAX_VALUE_CHARACTERS:
            event[name] = value[:MAX_VALUE_CHARACTERS] + "…"
    return event


def render_json(logger: WrappedLogger, method: str, event: EventDict) -> str:
    """Return one ASCII line with escaped line ends and control characters, so that no value can forge a line."""
    ordered = {name: event.pop(name) for name in _FIRST if name in event} | dict(event)
    line = _encode(ordered)
    if len(line) >= MAX_LINE_BYTES:
        line = _encode({name: ordered[name] for name in _FIRST if name in ordered} | {"cut": len(line)})
    return line


def render_text(logger: WrappedLogger, method: str, event: EventDict) -> str:
    moment = str(event.pop("ts"))[11:19]
    level, words, trace = event.pop("level"), event.pop("event"), event.pop("trace", [])
    event.pop("request_id", None) if level == "info" else None
    pairs = " ".join(f"{name}={value}" for name, value in event.items() if value not in (None, ""))
    line = f"{moment} {level:<7} {words} {pairs}".rstrip().translate(_CONTROL)
    return "\n".join([line[:MAX_LINE_BYTES], *(f"         {place}" for place in trace)])


def _short(path: str) -> str:
    """Return the path below its package, without the folder of the installation."""
    return path.rpartition("/site-packages/")[2] if "/site-packages/" in path else "/".join(path.split("/")[-3:])
