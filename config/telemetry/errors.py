"""Pass on unexpected errors, which the log shows as events with an exception."""

from collections.abc import Callable

Collector = Callable[[BaseException, dict[str, str]], None]

_collectors: list[Collector] = []


def send_to(collector: Collector) -> None:
    """Call `collector` with each error and its tags from now on."""
    _collectors.append(collector)


def collect(error: BaseException, **tags: str) -> None:
    for collector in _collectors:
        collector(error, tags)
