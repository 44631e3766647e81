"""The pages of the console that belong to no model, and the files that pages send to be saved."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path

CSV = "text/csv; charset=utf-8"
View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPages:
    """Pages that an area adds to the console.

    pages: path, view and name of each
    is_open_to: return whether a signed-in person may open them
    """

    pages: tuple[tuple[str, View, str], ...]
    is_open_to: Callable[[HttpRequest], bool] = lambda request: True

    def urls(self, signed_in: Callable[[View], View]) -> list[URLPattern]:
        """Return the URLs. signed_in: wraps a view for signed-in people"""
        return [path(route, signed_in(self._guarded(view)), name=name) for route, view, name in self.pages]

    def _guarded(self, view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponseBase:
            if not self.is_open_to(request):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return guarded


def show(request: HttpRequest, template: str, title: str, *, status: int = 200, **context: object) -> TemplateResponse:
    """Return a page with the frame of the console."""
    frame = {**admin.site.each_context(request), "title": title, **context}
    return TemplateResponse(request, template, frame, status=status)


def file_response(name: str, content: Iterable[str | bytes], *, content_type: str = CSV) -> StreamingHttpResponse:
    """Return a file that no cache stores. name: of the file, such as "results.csv"; content: its parts"""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(content, content_type=content_type, headers=headers)
