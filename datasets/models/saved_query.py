"""Saved queries: a question under a name, with an address of its own, and the tokens that read it."""

from collections.abc import Collection
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.crypto import get_random_string

from datasets.models.data_set import DataSet

DECIMALS = range(7)


def new_public_id() -> str:
    """Return an id for an address: 16 letters and digits, which nobody can guess."""
    return get_random_string(16)


class ChartKind(models.TextChoices):
    NUMBER = "number", "Number"
    LINE = "line", "Lines"
    BAR = "bar", "Bars"
    STACKED_BAR = "stacked_bar", "Stacked bars"
    TABLE = "table", "Table"


class StoredEvery(models.TextChoices):
    HOUR = "hour", "Every hour"
    DAY = "day", "Every day"
    WEEK = "week", "Every week"


class SavedQuery(models.Model):
    """A question about a data set. Source: docs/reference/saved-queries.md.

    public_id: names it in addresses
    question: what `datasets.saved_queries.question.Question` is made of
    other_sets: the data sets whose paths its measures name; another one that is made at such a path later is not read
    services: the ids of the services whose records it reads in statistics of Signalbox; null for all
    is_public: whether everybody may read its answer; it never opens the data set itself
    stored_in, stored_every: the data set to which its rows are written as records, and how often
    stored_at: when they were last written
    revision: grows with each change, so that stored answers are not used any more
    """

    public_id = models.CharField(max_length=16, default=new_public_id, editable=False)
    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="saved_queries")
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, max_length=1_000)
    question = models.JSONField()
    other_sets = models.ManyToManyField(DataSet, related_name="measured_by", editable=False)
    services = models.JSONField(null=True, default=list, editable=False)
    chart = models.CharField(max_length=12, choices=ChartKind.choices, default=ChartKind.LINE)
    unit = models.CharField(max_length=20, blank=True)
    decimals = models.PositiveSmallIntegerField(null=True, blank=True)
    is_public = models.BooleanField(default=False)
    stored_in = models.ForeignKey(
        DataSet, null=True, blank=True, on_delete=models.SET_NULL, related_name="derived_from", db_index=False
    )
    stored_every = models.CharField(max_length=4, blank=True, choices=StoredEvery.choices)
    stored_at = models.DateTimeField(null=True, editable=False)
    revision = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "saved queries"
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="saved_query_public_id_unique"),
            models.UniqueConstraint(fields=["data_set", "name"], name="saved_query_name_unique"),
            models.CheckConstraint(condition=models.Q(chart__in=ChartKind.values), name="saved_query_chart_known"),
            models.CheckConstraint(
                condition=~models.Q(stored_in=models.F("data_set")), name="saved_query_stored_elsewhere"
            ),
            models.CheckConstraint(
                condition=models.Q(decimals__isnull=True) | models.Q(decimals__lte=DECIMALS[-1]),
                name="saved_query_decimals_range",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def audit_scope(self) -> dict[str, int]:
        return {"data_set_id": self.data_set_id}

    def reads_only(self, services: Collection[str]) -> bool:
        """Return whether it reads no statistics besides those of these services."""
        return self.services is not None and set(self.services) <= set(services)


class QueryTokenQuerySet(models.QuerySet["QueryToken"]):
    def live(self) -> Self:
        return self.filter(revoked_at__isnull=True)


class QueryToken(models.Model):
    """A token that reads the answer of one saved query. prefix, token_hash: as of `AccessToken`"""

    saved_query = models.ForeignKey(SavedQuery, on_delete=models.CASCADE, related_name="tokens")
    prefix = models.CharField(max_length=8, editable=False)
    token_hash = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, editable=False)

    objects = QueryTokenQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["token_hash"], name="query_token_hash_unique")]

    def __str__(self) -> str:
        return f"{self.prefix}…"

    @property
    def audit_scope(self) -> dict[str, Any]:
        return self.saved_query.audit_scope


class StoredAnswer(models.Model):
    """The last answer of a saved query for one range and filter. It is used until one of its data sets changes.

    asked: a hash of what else decides the answer: the range and the filter of a dashboard
    state: a hash of the revisions of the query and its data sets, and of the end of its range
    computing_until: while this moment is in the future, a process computes the answer; the others wait for it
    """

    saved_query = models.ForeignKey(SavedQuery, on_delete=models.CASCADE, related_name="answers")
    asked = models.CharField(max_length=32)
    state = models.CharField(max_length=32, blank=True)
    answer = models.JSONField(null=True)
    computed_at = models.DateTimeField(null=True)
    computing_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["saved_query", "asked"], name="stored_answer_unique")]

    def __str__(self) -> str:
        return f"answer of saved query {self.saved_query_id}"
