"""The document and the pages made of it, for everyone. Source: Developer experience §8."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from config.docs.document import document


@require_safe
def openapi(request: HttpRequest) -> JsonResponse:
    """Answer with the OpenAPI document of both areas."""
    return JsonResponse(document())
