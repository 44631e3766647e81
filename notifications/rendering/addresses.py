"""Text that mail programs and phones would turn into a web link. Source: docs/reference/rendering.md §6 step 1, §3.1.

An address is an optional http(s) scheme, labels of word characters or hyphens each with a dot, a last label of 2–63
letters, and perhaps a path. It begins at a word boundary not right after `@` or `.`, so that `name@example.com` is
none. The scan goes over each run of labels once; one regular expression for the whole shape would start afresh at
every boundary and take quadratic time on `a-a-a-a-…`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_RUN = re.compile(r"[\w-]++(?:\.[\w-]++)*+")
_SCHEME_BEFORE = re.compile(r"\b(?<![@.])https?://\Z", re.IGNORECASE | re.ASCII)
_LONGEST_SCHEME = len("https://")
_START = re.compile(r"\b(?<![@.])(?=[\w-])")
_LAST_LABEL = re.compile(r"[A-Za-z]{2,63}\b(?!@)")
_PATH = re.compile(r"[/?#][^\s<]*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address found in a text, from `start` to before `end`."""

    text: str
    start: int
    end: int
    has_scheme: bool


def find(text: str) -> Iterator[Address]:
    """Yield the addresses from left to right.

    >>> [address.text for address in find("Ask fern@quay.example, see quay.example/map or e.g. HTTPS://pay.example")]
    ['quay.example/map', 'HTTPS://pay.example']
    """
    searched_to = 0
    for run in _RUN.finditer(text):
        if run.start() < searched_to:
            continue  # part of the path of the address before
        scheme_at = _scheme_before(text, run.start(), searched_to)
        start = _START.search(text, run.start(), run.end())
        host_at = run.start() if scheme_at is not None else start.start() if start else None
        if host_at is None:
            continue
        host_end = _host_end(text, host_at, run.end())
        if host_end is None:
            continue
        path = _PATH.match(text, host_end)
        searched_to = path.end() if path else host_end
        begin = host_at if scheme_at is None else scheme_at
        yield Address(text=text[begin:searched_to], start=begin, end=searched_to, has_scheme=scheme_at is not None)


def _scheme_before(text: str, host_at: int, searched_to: int) -> int | None:
    match = _SCHEME_BEFORE.search(text, max(searched_to, host_at - _LONGEST_SCHEME), host_at)
    return match.start() if match else None


def _host_end(text: str, host_at: int, run_end: int) -> int | None:
    """Return where the last label ends: that of the rightmost dot with letters behind it."""
    dot = text.rfind(".", host_at, run_end)
    while dot > host_at:
        if last_label := _LAST_LABEL.match(text, dot + 1):
            return last_label.end()
        dot = text.rfind(".", host_at, dot)
    return None
