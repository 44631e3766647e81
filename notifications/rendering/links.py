"""Find the URLs that mail programs and phones turn into links. Source: docs/reference/rendering.md §6 step 1, §3.1.

A URL is an optional http(s) scheme, labels of word characters or hyphens that each end in a dot, a last label of 2–63
letters, and an optional path. It begins at a word boundary that does not follow `@` or `.`, so `name@example.com` does
not match. The scan visits each run of labels once. A single regular expression for the whole form would restart at
every boundary and take quadratic time for `a-a-a-a-…`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_RUN = re.compile(r"[\w-]++(?>(?:\.[\w-]++)*)")
_SCHEME_BEFORE = re.compile(r"\b(?<![@.])https?://\Z", re.IGNORECASE | re.ASCII)
_LONGEST_SCHEME = len("https://")
_START = re.compile(r"\b(?<![@.])(?=[\w-])")
_LAST_LABEL = re.compile(r"[A-Za-z]{2,63}\b(?!@)")
_PATH = re.compile(r"[/?#][^\s<]*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLink:
    """A URL in a text, from the offset `start` up to, but not including, `end`."""

    text: str
    start: int
    end: int
    has_scheme: bool


def find(text: str) -> Iterator[FoundLink]:
    """Yield the URLs from left to right.

    >>> [link.text for link in find("Ask fern@quay.example, see quay.example/map or e.g. HTTPS://pay.example")]
    ['quay.example/map', 'HTTPS://pay.example']
    """
    searched_to = 0
    for run in _RUN.finditer(text):
        if run.start() < searched_to:
            continue  # part of the path of the previous URL
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
        yield FoundLink(text=text[begin:searched_to], start=begin, end=searched_to, has_scheme=scheme_at is not None)


def _scheme_before(text: str, host_at: int, searched_to: int) -> int | None:
    match = _SCHEME_BEFORE.search(text, max(searched_to, host_at - _LONGEST_SCHEME), host_at)
    return match.start() if match else None


def _host_end(text: str, host_at: int, run_end: int) -> int | None:
    """Return the end of the last label: the letters after the rightmost dot that letters follow."""
    dot = text.rfind(".", host_at, run_end)
    while dot > host_at:
        if last_label := _LAST_LABEL.match(text, dot + 1):
            return last_label.end()
        dot = text.rfind(".", host_at, dot)
    return None
