"""Rules of `notifications.validation` as a form asks them."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django import forms

from notifications.validation import InvalidValue

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


def checked(rule: Callable[Arguments, Value], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
    """Return what the rule returns. Raises ValidationError with the rule's own words."""
    try:
        return rule(*args, **kwargs)
    except InvalidValue as error:
        raise forms.ValidationError(str(error)) from error
