"""Template filters for numbers and times."""

from datetime import UTC, datetime

from django import template
from django.utils import timezone
from django.utils.safestring import SafeString

from config import formats
from config.console import cells

register = template.Library()


@register.filter
def number(value: float) -> str:
    return formats.number(value)


@register.filter
def moment(value: datetime | None, never: str = "–") -> SafeString | str:
    return cells.moment(value, never=never)


@register.filter
def author(stored: str) -> str:
    return cells.author(stored)


@register.filter
def utc_text(value: datetime) -> str:
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


@register.filter
def is_past(value: datetime | None) -> bool:
    return value is not None and value <= timezone.now()
