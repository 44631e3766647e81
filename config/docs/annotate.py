"""Describe a view for the OpenAPI document without decorators in the view's own module."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.drainage import isolate_view_method

Describe = Callable[[Any], Any]  # a decorator that drf-spectacular's `extend_schema` returns


def annotated(view: type, **actions: Describe) -> type:
    """Return a subclass of the view with descriptions of its actions.

    The library's own `extend_schema_view` supports only the actions of its conventions.
    """
    documented = type("Documented", (view,), {})
    for name, describe in actions.items():
        describe(isolate_view_method(documented, name))
    return documented
