"""What comes before each page: the method, the id and the key, and whether the file is still to be had.

Source: Files sent by email §9.
"""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from notifications.download import pages
from notifications.download.opening import OpenedFile, open_file
from notifications.models import AttachmentState

READING = ("GET", "HEAD")

FileView = Callable[[HttpRequest, OpenedFile], HttpResponseBase]
View = Callable[..., HttpResponseBase]


class SeeOther(HttpResponseRedirect):
    """Go on there, with GET, whatever was asked here."""

    status_code = 303


def link_holders(*methods: str) -> Callable[[FileView], View]:
    """Let in who holds the link of a file that is there: 405, then one 404 for all else, then 410.

    The framework's own check of forms would come before all of that, so it is off here; confirm makes it itself.
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
            if file.row.state(now) != AttachmentState.AVAILABLE:
                return pages.gone(file, now)
            return view(request, file)

        return guarded

    return decorate


def forget_console(request: HttpRequest) -> None:
    """Take the console's session off: these pages neither read nor prolong it, and set no cookie for it."""
    if hasattr(request, "session"):
        del request.session


@csrf_exempt
def nowhere(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Answer for every other address: there is nothing, and it looks like any link that does not work."""
    forget_console(request)
    return pages.nowhere() if request.method in READING else HttpResponseNotAllowed(READING)
