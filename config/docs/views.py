"""The public OpenAPI document and documentation pages. Source: docs/reference/running.md §8."""

from functools import cache

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from config.docs import changes, errors, page, search
from config.docs.document import document
from config.rest.handler import HELPFUL


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Show all operations and errors as a page."""
    return HttpResponse(_rendered("docs/page.html"))


@require_safe
def plain(request: HttpRequest) -> HttpResponse:
    """Return the content of the page as plain text, for language models and for search."""
    return HttpResponse(_rendered("docs/llms.txt"), content_type="text/plain; charset=utf-8")


@require_safe
def openapi(request: HttpRequest) -> JsonResponse:
    """Return the OpenAPI document of both areas."""
    return JsonResponse(document())


@require_safe
def search_index(request: HttpRequest) -> JsonResponse:
    """Return the index of the search box: an array of title, second line, kind and URL below /docs/."""
    return JsonResponse(search.index(), safe=False)


@require_safe
def change_log(request: HttpRequest) -> HttpResponse:
    """Show what has changed in each version."""
    return render(request, "docs/changes.html", {"title": "Changes", "changes": changes.text()})


@require_safe
def error_list(request: HttpRequest) -> HttpResponse:
    """Show all errors of both APIs, each with a link to its page."""
    return HttpResponse(_rendered("docs/errors.html"))


@require_safe
def error_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one error with its cause, its fix and an example."""
    found = errors.pages().get(slug)
    if found is None:
        raise Http404
    return render(request, "docs/error.html", {"title": found["error"].message, "helpful": HELPFUL, **found})


@cache
def _rendered(template: str) -> str:
    """Return a page of all operations. It is made once in each process: that takes a third of a second of CPU time."""
    context = {
        "title": "API documentation",
        "areas": page.areas(),
        "base_url": settings.BASE_URL,
        "info": document()["info"],
    }
    return render_to_string(template, context)
