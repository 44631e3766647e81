"""The public page of a dashboard, and the CSV of a tile. They use no cookies unless the dashboard is for staff.

Source: docs/reference/dashboards.md §4, §7.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.http import parse_etags
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from config.rest.request import base_url
from datasets.dashboards import open_data, page, publishing, rendered, tiles
from datasets.dashboards.choices import ReaderChoice, UnknownChoice
from datasets.dashboards.frame import frame
from datasets.dashboards.tile_csv import tile_csv
from datasets.models import Dashboard, Tile, Visibility

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'self'; frame-ancestors {}"
)


@require_safe
@xframe_options_exempt  # `frame-ancestors` of the policy decides
def dashboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the page, or 304. A page that this reader may not open is answered like one that does not exist."""
    row, choice = _opened(request, slug)
    found = list(publishing.tiles_of(row))
    state = page.state(row, found, choice, now=timezone.now())
    headers = _headers(row, found, choice, state)
    if state in _known(request):
        return HttpResponse(status=304, headers=headers)
    page_url = f"{base_url(request)}/dashboards/{row.slug}"
    made = rendered.page(f"{page_url} {state}", lambda: _render(row, found, choice, page_url))
    if made.has_error:
        del headers["ETag"]
        headers["Cache-Control"] = "no-store"
    takes_gzip = "gzip" in request.headers.get("Accept-Encoding", "")
    if takes_gzip:
        headers["Content-Encoding"] = "gzip"
    return HttpResponse(made.compressed if takes_gzip else made.plain, headers=headers)


@require_safe
def csv(request: HttpRequest, slug: str, tile_id: str) -> HttpResponse:
    """Return the values of one tile, for the range and filter of the page. Values that are hidden stay hidden."""
    row, choice = _opened(request, slug)
    tile = next((one for one in publishing.tiles_of(row) if str(one.pk) == tile_id), None)
    if tile is None or tile.saved_query is None:
        raise Http404
    state = page.state(row, [tile], choice, now=timezone.now())
    headers = _headers(row, [tile], choice, state)
    if state in _known(request):
        return HttpResponse(status=304, headers=headers)
    with translation.override(choice.language):
        shown = tiles.of(tile, row, choice, partial(publishing.shows, row))
        text = tile_csv(shown)
    if not shown.is_published:
        raise Http404
    if text is None:
        return HttpResponse(f"{shown.error}\n", content_type="text/plain; charset=utf-8", status=503)
    name = f'attachment; filename="{row.slug}-{tile.pk}.csv"'
    form = {"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": name}
    return HttpResponse(text, headers={**headers, **form})


def _opened(request: HttpRequest, slug: str) -> tuple[Dashboard, ReaderChoice]:
    row = Dashboard.objects.filter(slug=slug).first()
    # The session is read for dashboards of staff only, so that other pages depend on no cookie.
    is_staff = row is not None and row.visibility == Visibility.STAFF and _is_signed_in(request)
    if row is None or not publishing.may_read(row, key=request.GET.get("key", ""), is_staff=is_staff):
        raise Http404
    try:
        return row, ReaderChoice.of(row, request.GET)
    except UnknownChoice as error:
        raise Http404 from error


def _is_signed_in(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_active and request.user.is_staff


def _render(row: Dashboard, found: Sequence[Tile], choice: ReaderChoice, page_url: str) -> tuple[str, bool]:
    with translation.override(choice.language):
        shown = page.of(row, choice, found=found)
        context: dict[str, Any] = {**frame(row, choice, page_url), "page": shown}
        if context["is_indexed"]:
            context["json_ld"] = open_data.script(row, found)
        return render_to_string("dashboards/dashboard.html", context), shown.has_error


def _headers(row: Dashboard, found: Sequence[Tile], choice: ReaderChoice, state: str) -> dict[str, str]:
    hosts = [f"https://{host}" for host in row.embed_hosts] if choice.is_embedded else []
    is_public = row.visibility == Visibility.PUBLIC
    sets = [tile.saved_query.data_set for tile in found if tile.saved_query is not None]
    is_realtime = any(one.realtime for one in sets)
    seconds = settings.DATASETS_REALTIME_CACHE_SECONDS if is_realtime else settings.DATASETS_CACHE_SECONDS
    return {
        "Content-Security-Policy": _POLICY.format(" ".join(hosts) or "'none'"),
        "Cache-Control": f"max-age={seconds}, must-revalidate" if is_public else "private, no-cache",
        "ETag": f'W/"{state}"',
        "Vary": "Accept-Encoding" if is_public else "Accept-Encoding, Cookie",
        **({} if is_public else {"X-Robots-Tag": "noindex, nofollow, noarchive", "Referrer-Policy": "no-referrer"}),
    }


def _known(request: HttpRequest) -> list[str]:
    given = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    return [one.removeprefix("W/").strip('"') for one in given]
