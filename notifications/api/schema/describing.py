"""Parameters and responses that several operations have in the OpenAPI document."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from config.docs.annotate import annotated

UUID = {"type": "string", "format": "uuid"}
OLDER_THAN = OpenApiParameter(
    "older_than", UUID, description="The id of the last row of the previous page. `links.next` contains it."
)
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    OpenApiParameter.HEADER,
    description="A repeated request with the same key within 24 hours gets the first response and sends no message.",
)
REPLAYED = OpenApiParameter(
    "Idempotent-Replay",
    {"const": "true"},
    OpenApiParameter.HEADER,
    description="This is the response to an earlier request with the same `Idempotency-Key`.",
    response=[201],
)

REPEAT_OF = OpenApiParameter(
    "Repeat-Of",
    UUID,
    OpenApiParameter.HEADER,
    description="The repeat guard of the service stopped this message: the response has the values of the first one.",
    response=[201],
)
DRY_RUN = OpenApiParameter(
    "dry_run",
    {"enum": ["true", "false"]},
    description=(
        "`true`: carry out all checks, and show what would be sent. Nothing is stored, sent or counted, and "
        "`Idempotency-Key` is ignored. Dry runs have a rate limit of their own, of the same size."
    ),
)


def _rate(name: str, about: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=about, response=[200, 201])


RATE = [
    _rate(
        "RateLimit-Policy",
        'The requests (q) in a number of seconds (w) for the key type: `"live";q=3000;w=60`. Also with errors.',
    ),
    _rate("RateLimit", 'The number of requests that are left: `"live";r=2999`. Also with errors.'),
]


def read(name: str, tag: str, summary: str, answer: type, *parameters: OpenApiParameter, about: str = "") -> Any:
    return extend_schema(
        operation_id=name,
        tags=[tag],
        summary=summary,
        description=about,
        responses={200: OpenApiResponse(answer, description="The requested data.")},
        parameters=list(parameters),
    )


def path(name: str, about: str, example: str) -> OpenApiParameter:
    return OpenApiParameter(name, {**UUID, "examples": [example]}, OpenApiParameter.PATH, description=about)


def words(name: str, allowed: Sequence[str], about: str) -> OpenApiParameter:
    return OpenApiParameter(
        name, {"type": "array", "items": {"enum": list(allowed)}}, description=f"{about} May repeat."
    )


def describe(view: str, **operations: Any) -> None:
    """Describe the actions of a view of the API. The generator finds subclasses of the extension by themselves."""
    members = {
        "target_class": f"notifications.api.{view}",
        "view_replacement": lambda extension: annotated(extension.target, **operations),
    }
    type(view.rpartition(".")[2], (OpenApiViewExtension,), members)
