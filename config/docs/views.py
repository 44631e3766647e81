"""The document and the pages made of it, for everyone. Source: Developer experience §8."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.docs import page
from config.docs.document import document


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Show every operation, and every error with its fix."""
    return render(request, "docs/page.html", _context())


@require_safe
def plain(request: HttpRequest) -> HttpResponse:
    """Answer with the same as text, for programs that read and for people who search."""
    return render(request, "docs/llms.txt", _context(), content_type="text/plain; charset=utf-8")


@require_safe
def openapi(request: HttpRequest) -> JsonResponse:
    """Answer with the OpenAPI document of both areas."""
    return JsonResponse(document())


def _context() -> dict[str, object]:
    return {"areas": page.areas(), "base_url": settings.BASE_URL, "about": document()["info"]["description"]}
