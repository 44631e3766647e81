"""Template filters for numbers and times."""

from datetime import datetime

from django import template
from django.utils import timezone

from config import formats
from config.console import cells

register = template.Library()
register.filter("number", formats.number)
register.filter("moment", cells.moment)
register.filter("author", cells.author)
register.filter("utc_text", cells.utc)


@register.filter
def is_past(value: datetime | None) -> bool:
    return value is not None and value <= timezone.now()
