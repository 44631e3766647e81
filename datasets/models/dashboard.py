"""Dashboards: pages of tiles, each with the answer of a saved query or with text."""

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone

from datasets.models.saved_query import SavedQuery

_NOTHING = models.Value([], models.JSONField())


class Visibility(models.TextChoices):
    PRIVATE = "private", "Nobody but its owners"
    STAFF = "staff", "Everybody who is signed in"
    LINK = "link", "Everybody with the link"
    PUBLIC = "public", "Everybody"


class Dashboard(models.Model):
    """A page of tiles. Source: docs/reference/dashboards.md.

    slug: names it in its URL; link_token: the part of the URL that a holder of the link knows
    title_cy, summary_cy: the Welsh texts; blank shows the English ones
    filter_field: the field that a reader may filter all tiles by, or blank; filter_values: the values to choose from
    opened_sets: the ids of the data sets without public access that its publisher opened for its readers
    opened_parts: the same for saved queries that read a data set in part: [id, ids of services]
    embed_hosts: the hosts whose pages may show it in a frame
    """

    slug = models.SlugField(max_length=60)
    title = models.CharField(max_length=120)
    title_cy = models.CharField(max_length=120, blank=True)
    summary = models.TextField(blank=True, max_length=2_000)
    summary_cy = models.TextField(blank=True, max_length=2_000)
    owners = models.ManyToManyField(User, blank=True, related_name="dashboards")
    visibility = models.CharField(max_length=8, choices=Visibility.choices, default=Visibility.PRIVATE)
    link_token = models.CharField(max_length=43, blank=True, editable=False)
    filter_field = models.CharField(max_length=128, blank=True)
    filter_values = models.JSONField(default=list, db_default=_NOTHING, blank=True)
    opened_sets = models.JSONField(default=list, db_default=_NOTHING, blank=True, editable=False)
    opened_parts = models.JSONField(default=list, db_default=_NOTHING, blank=True, editable=False)
    embed_hosts = models.JSONField(default=list, blank=True)
    published_at = models.DateTimeField(null=True, editable=False)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["title"]
        constraints = [
            models.UniqueConstraint(fields=["slug"], name="dashboard_slug_unique"),
            models.CheckConstraint(
                condition=models.Q(visibility__in=Visibility.values), name="dashboard_visibility_known"
            ),
        ]

    def __str__(self) -> str:
        return f"dashboard {self.pk}"


class Tile(models.Model):
    """A part of a dashboard. Without a saved query, it is text in the Markdown of emails.

    is_wide: whether it takes the whole width; target: the value of a line in the chart
    hide_below: values below this number are not shown, because small numbers can identify people
    """

    dashboard = models.ForeignKey(Dashboard, on_delete=models.CASCADE, related_name="tiles")
    place = models.PositiveSmallIntegerField()
    is_wide = models.BooleanField(default=False)
    title = models.CharField(max_length=120, blank=True)
    title_cy = models.CharField(max_length=120, blank=True)
    text = models.TextField(blank=True, max_length=5_000)
    text_cy = models.TextField(blank=True, max_length=5_000)
    saved_query = models.ForeignKey(SavedQuery, null=True, blank=True, on_delete=models.PROTECT, related_name="tiles")
    target = models.FloatField(null=True, blank=True)
    hide_below = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["place", "id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(saved_query__isnull=False) | ~models.Q(text=""), name="tile_has_query_or_text"
            )
        ]

    def __str__(self) -> str:
        return f"tile {self.pk}"
