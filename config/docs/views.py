"""The public OpenAPI document and documentation pages. Source: docs/reference/running.md §8."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.docs import page
from config.docs.document import document


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Show all operations and errors as a page."""
    return render(request, "docs/page.html", _context())


@require_safe
def plain(request: HttpRequest) -> HttpResponse:
    """Return the content of the page as plain text, for language models and for search."""
    return render(request, "docs/llms.txt", _context(), content_type="text/plain; charset=utf-8")


@require_safe
def openapi(request: HttpRequest) -> JsonResponse:
    """Return the OpenAPI document of both areas."""
    return JsonResponse(document())


def _context() -> dict[str, object]:
    return {"areas": page.areas(), "base_url": settings.BASE_URL, "info": document()["info"]}
