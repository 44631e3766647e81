"""The tabs of one dashboard."""

from django.urls import reverse

from datasets.models import Dashboard

TITLES = {"tiles": "Tiles", "preview": "Preview", "sharing": "Publishing", "change": "Settings"}


def of(row: Dashboard, current: str) -> list[dict[str, object]]:
    return [{"title": title, "url": url(row, word), "is_current": word == current} for word, title in TITLES.items()]


def url(row: Dashboard, word: str) -> str:
    return reverse(f"admin:datasets_dashboard_{word}", args=[row.pk])
