"""The pages of the console that belong to no model."""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import admin
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPages:
    """Pages that an area adds to the console. urls: returns them; its argument wraps a view for signed-in people"""

    urls: Callable[[Callable[[View], View]], list[URLPattern]]


def show(request: HttpRequest, template: str, title: str, *, status: int = 200, **context: object) -> TemplateResponse:
    """Return a page with the frame of the console."""
    frame = {**admin.site.each_context(request), "title": title, **context}
    return TemplateResponse(request, template, frame, status=status)
