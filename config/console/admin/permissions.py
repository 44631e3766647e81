"""Permissions that several admins share, as a mixin that stands before ConsoleModelAdmin."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.http import HttpRequest


class OpenTo:
    """Some people may do everything, and other people nothing. people: returns whether a person is one of them."""

    people: ClassVar[Callable[[HttpRequest], bool]]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return type(self).people(request)

    has_add_permission = has_change_permission = has_view_permission
