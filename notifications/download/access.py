"""Checks before each page: the method, the id and key of the link, and whether the file is still available.

Source: docs/reference/files.md §9.
"""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils import timezone, translation
from django.views.decorators.csrf import csrf_exempt

from notifications.download import pages
from notifications.download.opening import OpenedFile, open_file
from notifications.models import AttachmentState

READING = ("GET", "HEAD")

FileView = Callable[[HttpRequest, OpenedFile], HttpResponseBase]
View = Callable[..., HttpResponseBase]


class SeeOther(HttpResponseRedirect):
    """A redirect that the browser follows with GET."""

    status_code = 303


def link_holders(*methods: str) -> Callable[[FileView], View]:
    """Call the view for valid links of available files. Otherwise answer 405, 404 or 410, in this order.

    Django's CSRF check would run before these checks, so it is off here. `confirm` runs it itself.
    """

    def decorate(view: FileView) -> View:
        @csrf_exempt
        @wraps(view)
        def guarded(request: HttpRequest, file_id: str) -> HttpResponseBase:
            forget_console(request)
            if request.method not in methods:
                return HttpResponseNotAllowed(methods)
            file = open_file(file_id, request.GET.getlist("key"))
            if file is None:
                return pages.nowhere()
            now = timezone.now()
            with translation.override(file.row.service.page_language):
                if file.row.state(now) != AttachmentState.AVAILABLE:
                    return pages.gone(file, now)
                return view(request, file)

        return guarded

    return decorate


def forget_console(request: HttpRequest) -> None:
    """Remove the console's session from the request, so that these pages neither read nor extend it."""
    if hasattr(request, "session"):
        del request.session


@csrf_exempt
def nowhere(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Return the page of a link that does not work, for every other URL."""
    forget_console(request)
    return pages.nowhere() if request.method in READING else HttpResponseNotAllowed(READING)
