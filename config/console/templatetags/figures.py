"""Numbers and moments as every page of the console writes them."""

from datetime import UTC, datetime

from django import template
from django.utils import timezone
from django.utils.safestring import SafeString

from config.console import cells
from config.console.clean_up.durations import took as words_of
from config.console.models import RetentionRun

register = template.Library()


@register.filter
def figure(value: float) -> str:
    return cells.number(value)


@register.filter
def moment(value: datetime | None) -> SafeString | str:
    return cells.moment(value)


@register.filter
def utc_words(value: datetime) -> str:
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


@register.filter
def is_past(value: datetime | None) -> bool:
    return value is not None and value <= timezone.now()


@register.filter
def took(run: RetentionRun) -> str:
    return words_of(run)
