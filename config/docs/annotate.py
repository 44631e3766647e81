"""Lay descriptions over a view from outside, so that the view itself stays bare of them."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.drainage import isolate_view_method

Describe = Callable[[Any], Any]  # what drf-spectacular's `extend_schema` returns


def annotated(view: type, **actions: Describe) -> type:
    """Return a subclass whose actions are described.

    The library's own `extend_schema_view` knows no actions but those of its conventions.
    """
    documented = type("Documented", (view,), {})
    for name, describe in actions.items():
        describe(isolate_view_method(documented, name))
    return documented
