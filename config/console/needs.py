"""*Needs you*: what needs a person now. Each area registers its part; the overview shows all of them.

Source: docs/reference/console.md §3.1.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag

from config import areas
from config.accounts import scope
from config.databases import clock
from config.jobs import state


@dataclass(frozen=True, slots=True)
class Need:
    """One line, with the button that leads to the rows. is_urgent: something fails now"""

    text: str
    button: str
    url: str
    _: KW_ONLY
    is_urgent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """One area's part. find: the lines for this person, from counters and indexed columns only"""

    find: Callable[[HttpRequest], Iterable[Need]]


def of_person(request: HttpRequest) -> list[Need]:
    """Return all lines for this person, urgent ones first."""
    found = [
        *_clock(request),
        *_clean_up(request),
        *(need for part in areas.parts(Needs) for need in part.find(request)),
    ]
    return sorted(found, key=lambda need: not need.is_urgent)


def fragment(request: HttpRequest) -> HttpResponseBase:
    """Return the section for the script of the overview, or 304 if it has not changed."""
    text = render_to_string("admin/includes/needs.html", {"needs": of_person(request)})
    etag = quote_etag(hashlib.sha256(text.encode()).hexdigest()[:32])
    response = HttpResponse(text, headers={"ETag": etag, "Cache-Control": "private, no-cache"})
    return get_conditional_response(request, etag=etag, response=response) or response


def _clock(request: HttpRequest) -> Iterator[Need]:
    if not scope.is_operator(request):
        return
    apart = clock.difference()
    if clock.is_far(apart):
        text = f"On a web machine {clock.described(apart)}. A machine with a wrong clock deletes nothing."
        yield Need(text, "View health", reverse("admin:health"), is_urgent=True)


def _clean_up(request: HttpRequest) -> Iterator[Need]:
    last = state.last() if scope.is_operator(request) else None
    page = reverse("admin:operations_retentionrun_changelist")
    if last is not None and last.failed:
        failed = ", ".join(f"{title} ({error})" for title, error in last.failed.items())
        yield Need(f"Clean-up failed: {failed}.", "View clean-up", page, is_urgent=True)
    elif last is not None and last.finished_at and last.is_overdue:
        yield Need("Clean-up is overdue.", "View clean-up", page, is_urgent=True)
