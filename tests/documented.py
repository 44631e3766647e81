"""Check a response against the OpenAPI document."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator

from config.docs.document import document

_ALWAYS = {"X-Request-Id", "Retry-After", "WWW-Authenticate"}  # where a status has them


def check(method: str, address: str, status: int, headers: Mapping[str, str], body: Any) -> None:
    """Raise AssertionError if a response does not match its operation. Other paths and methods are ignored.

    body: the parsed JSON
    """
    found = _operation(method.lower(), urlsplit(address).path)
    if found is None:
        return
    path, operation = found
    where = f"{method} {path}"
    assert str(status) in operation["responses"], f"{where}: {status} is not in the document"
    sent = {name.lower() for name in headers}
    missing = [
        name for name in _ALWAYS & operation["responses"][str(status)]["headers"].keys() if name.lower() not in sent
    ]
    assert missing == [], f"{where}: {status} without {missing}"
    errors = [
        f"{error.json_path}: {error.message}" for error in _validator(path, method.lower(), status).iter_errors(body)
    ]
    assert errors == [], f"{where}: {status} {errors}"


def _operation(method: str, path: str) -> tuple[str, Any] | None:
    for pattern, template in _templates():
        if pattern.fullmatch(path):
            operation = document()["paths"][template].get(method)
            return (template, operation) if operation else None
    return None


@cache
def _templates() -> list[tuple[re.Pattern[str], str]]:
    """Return every path as a pattern, those without parameters first."""
    templates = sorted(document()["paths"], key=lambda template: template.count("{"))
    return [
        (re.compile("/*" + re.sub(r"\{\w+\}", "[^/]+", template).lstrip("/") + "/?"), template)
        for template in templates
    ]


@cache
def _validator(path: str, method: str, status: int) -> Draft202012Validator:
    schema = document()["paths"][path][method]["responses"][str(status)]["content"]["application/json"]["schema"]
    return Draft202012Validator({**schema, "components": document()["components"]})
