"""Template filters for numbers and times."""

from datetime import datetime

from django import template
from django.utils import timezone

from config import formats
from config.console import cells

register = template.Library()
_TIMES = ("day", "axis_day", "full_day", "weekday", "heading", "clock", "exact_clock", "zoned", "html_time")
for _name in ("number", "percent", "size", *_TIMES):
    register.filter(_name, getattr(formats, _name))
for _name in ("moment", "exact_moment", "on", "author"):
    register.filter(_name, getattr(cells, _name))


@register.filter
def is_past(value: datetime | None) -> bool:
    return value is not None and value <= timezone.now()
