"""Record finished work as spans. A trace has the id of the request that caused it, so it needs no column of its own.

The request, each attempt to send its message and each callback are spans of one trace, in whatever process they happen.
"""

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Attribute = str | int
Attributes = Mapping[str, Attribute]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One piece of work that has ended. is_root: it is the request that the trace is named after."""

    name: str
    request_id: uuid.UUID
    seconds: float
    ended_at: float
    is_root: bool
    attributes: Attributes


recorders: list[Callable[[Span], None]] = []  # empty: tracing is off


def send_to(recorder: Callable[[Span], None]) -> None:
    """Call `recorder` with each span from now on."""
    recorders.append(recorder)


def record(name: str, request_id: str, attributes: Attributes, *, seconds: float, is_root: bool = False) -> None:
    """Record work that ends now. Work that no request has caused has a blank id and is not recorded."""
    if not recorders or not request_id:
        return
    span = Span(
        name=name,
        request_id=uuid.UUID(request_id),
        seconds=seconds,
        ended_at=time.time(),
        is_root=is_root,
        attributes=attributes,
    )
    for recorder in recorders:
        recorder(span)
