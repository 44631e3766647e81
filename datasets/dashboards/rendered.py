"""Pages that this process has rendered, so that many readers of one dashboard cost little.

Source: docs/reference/dashboards.md §7.
"""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from cachetools import TTLCache

MAX_PAGES = 64  # of at most some 100 kB
_KEPT_SECONDS = 15 * 60
_KEPT_WITH_ERROR_SECONDS = 10  # a query that fails is not repeated for each reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A page, plain and compressed. has_error: one of its tiles has no values now, so caches must not keep it"""

    plain: bytes
    compressed: bytes
    has_error: bool


_pages: TTLCache[str, Rendered] = TTLCache(maxsize=MAX_PAGES, ttl=_KEPT_SECONDS)
_with_error: TTLCache[str, Rendered] = TTLCache(maxsize=MAX_PAGES, ttl=_KEPT_WITH_ERROR_SECONDS)
_lock = Lock()


def page(state: str, render: Callable[[], tuple[str, bool]]) -> Rendered:
    """Return the page of this state. render: return the HTML, and whether a tile has a problem"""
    with _lock:
        found = _pages.get(state) or _with_error.get(state)
    if found is not None:
        return found
    html, has_error = render()
    plain = html.encode()
    made = Rendered(plain=plain, compressed=gzip.compress(plain, mtime=0), has_error=has_error)
    with _lock:
        (_with_error if has_error else _pages)[state] = made
    return made


def forget() -> None:
    """Forget all pages. Tests call it, because their databases begin with the same ids."""
    with _lock:
        _pages.clear()
        _with_error.clear()
