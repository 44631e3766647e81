"""The OpenAPI document of both APIs: generated from URLs and views, and completed with the errors of each view.

Source: docs/reference/running.md §8.
"""

from collections.abc import Mapping
from functools import cache
from threading import Lock
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from config.docs.parts import ApiPart, parts

Json = dict[str, Any]  # Any: an OpenAPI document is JSON of many shapes
Endpoint = tuple[str, str, str, Any]  # as drf-spectacular hands them on: path, regular expression, method, view

_ANSWER_HEADERS: Mapping[str, tuple[str, Json]] = {
    "X-Request-Id": (
        "The id of the request. Quote it when you contact the team of the service.",
        {"type": "string", "format": "uuid"},
    ),
    "Retry-After": ("Seconds to wait before you send the request again.", {"type": "integer", "minimum": 0}),
    "Link": (
        'The entry of this error in the documentation, with `rel="help"`.',
        {"type": "string", "pattern": '^<.+>; rel="help"$'},
    ),
    "WWW-Authenticate": ("How to authenticate.", {"const": "Bearer"}),
}
_MAY_RETRY = frozenset({409, 429, 503})


_one_at_a_time = Lock()


def document() -> Json:
    """Return the OpenAPI document. It is generated once in each process."""
    with _one_at_a_time:  # the generator is not thread-safe while it loads its modules
        return _kept()


def generate() -> Json:
    found: Json = SchemaGenerator().get_schema(public=True)
    return found


_kept = cache(generate)


def keep_documented(endpoints: list[Endpoint]) -> list[Endpoint]:
    """Keep the paths of the APIs, each once. A slash at the end leads to the same view."""
    prefixes = tuple(prefix for part in parts() for prefix in part.prefixes)  # loads the schemas of the views
    found: dict[tuple[str, str], Endpoint] = {}
    for path, pattern, method, view in endpoints:
        url = path.removesuffix("/")
        if url.startswith(prefixes):
            found.setdefault((url, method), (url, pattern, method, view))
    return list(found.values())


def complete(result: Json, **_: object) -> Json:
    """Add errors, headers of answers and tags to every operation."""
    _drop_marks(result)
    # The generator reads the methods of a path from a set, so their order differs between processes.
    result["paths"] = {path: dict(sorted(methods.items())) for path, methods in result["paths"].items()}
    schemas = result["components"]["schemas"]
    open_schemas = {name for part in parts() for name in part.open_schemas}
    for name, schema in schemas.items():
        if schema.get("type") == "object" and name not in open_schemas and "properties" in schema:
            schema.setdefault("additionalProperties", False)
    for part in parts():
        for name, properties in part.exactly_one.items():
            schemas[name]["oneOf"] = [{"required": [one]} for one in properties]
        schemas[_error_name(part)] = part.error_schema
        for path, methods in result["paths"].items():
            if path.startswith(part.prefixes):
                for operation in methods.values():
                    _refuse(operation, part)
                    if "requestBody" in operation and operation["operationId"] not in part.optional_bodies:
                        operation["requestBody"]["required"] = True
                    if part.is_elsewhere:
                        operation["servers"] = [{"url": part.base_url}]
    for methods in result["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                _name_headers(int(status), answer)
    result["components"]["headers"] = {
        name: {"description": text, "schema": schema, "required": name == "X-Request-Id"}
        for name, (text, schema) in _ANSWER_HEADERS.items()
    }
    result["tags"] = [
        {"name": chapter.title, "description": chapter.text} for part in parts() for chapter in part.chapters
    ]
    return result


def _drop_marks(node: object) -> None:
    """Remove the keys that the generator adds for other hooks."""
    if isinstance(node, dict):
        node.pop("x-spec-enum-id", None)
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _drop_marks(child)


def _error_name(part: ApiPart) -> str:
    return f"{part.name}Error"


def _refuse(operation: Json, part: ApiPart) -> None:
    """Add each error as an example of its answer, with the message as summary and the fix as description."""
    for kind in part.errors[operation["operationId"]]:
        error = kind.documented()
        answer = operation["responses"].setdefault(str(error.status), {"description": error.status_name})
        schema = {"$ref": f"#/components/schemas/{_error_name(part)}"}
        content = answer.setdefault("content", {}).setdefault("application/json", {"schema": schema, "examples": {}})
        example = {"summary": error.message, "description": error.fix, "value": error.body()}
        content["examples"][error.slug] = example
    operation["responses"] = dict(sorted(operation["responses"].items()))


def _name_headers(status: int, answer: Json) -> None:
    names = ["X-Request-Id"]
    if status >= 400:
        names.append("Link")
    if status in _MAY_RETRY:
        names.append("Retry-After")
    if status == 401:
        names.append("WWW-Authenticate")
    headers = answer.setdefault("headers", {})
    headers |= {name: {"$ref": f"#/components/headers/{name}"} for name in names}
