"""The pages of the console that belong to no model."""

from django.contrib import admin
from django.http import HttpRequest
from django.template.response import TemplateResponse


def show(request: HttpRequest, template: str, title: str, *, status: int = 200, **context: object) -> TemplateResponse:
    """Return a page with the frame of the console."""
    frame = {**admin.site.each_context(request), "title": title, **context}
    return TemplateResponse(request, template, frame, status=status)
