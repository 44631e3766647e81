"""Adapters that let forms call rules which raise InvalidValue."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django import forms

from config.invalid import InvalidValue

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


def checked(rule: Callable[Arguments, Value], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
    """Return the result of the rule. Raises ValidationError with the text of the rule's InvalidValue."""
    try:
        return rule(*args, **kwargs)
    except InvalidValue as error:
        raise forms.ValidationError(str(error)) from error


def validator(rule: Callable[[Value], object]) -> Callable[[Value], None]:
    """Return the rule as a form field validator."""

    def check(value: Value) -> None:
        checked(rule, value)

    return check
