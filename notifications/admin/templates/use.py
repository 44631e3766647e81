"""Use of templates, from the statistics, which are kept longer than messages.

Source: docs/reference/console.md §2.4.
"""

from datetime import timedelta

from django.db.models import DateField, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from config.console.admin.filters import ChoiceFilter, by, choice_filter
from config.utc_days import start_of, today
from notifications.models import HourlyCount, Template, TemplateVersion, VersionState

_WEEK = timedelta(days=7)
_UNUSED_FOR = timedelta(days=90)


def with_use(templates: QuerySet[Template]) -> QuerySet[Template]:
    """Add `week`, the messages of the last seven UTC days, and `last_day` to each template."""
    week = _counts().filter(day__gt=today() - _WEEK).values("template").annotate(total=Sum("n")).values("total")
    last = _counts().order_by("-day").values("day")[:1]  # the index has the newest day first
    return templates.annotate(
        week=Coalesce(Subquery(week, output_field=IntegerField()), 0),
        last_day=Subquery(last, output_field=DateField()),
    )


UNUSED_FILTER = choice_filter(
    "use", {"unused": (f"Unused for {_UNUSED_FOR.days} days", lambda templates: _unused(templates))}
)


# Templates with a version for test keys only, which somebody has to publish or discard.
WAITING_FILTER = choice_filter(
    "version for test keys",
    {"yes": ("Yes", lambda templates: templates.filter(Exists(_of_test_keys())))},
    parameter="waiting",
)


def _of_test_keys() -> QuerySet[TemplateVersion]:
    return TemplateVersion.objects.filter(template=OuterRef("pk"), state=VersionState.TEST)


class InUseFilter(ChoiceFilter):
    """Leave archived templates out by default."""

    title = "state"
    parameter_name = "state"
    unchosen = ("In use", by(Q(archived_at=None)))
    options = {"archived": ("Archived", by(~Q(archived_at=None))), "all": ("All", lambda templates: templates)}

    @classmethod
    def shown(cls, request: HttpRequest, templates: QuerySet[Template]) -> QuerySet[Template]:
        """Return the templates in the state that the list of this request shows."""
        return cls.options.get(request.GET.get(cls.parameter_name, ""), cls.unchosen)[1](templates)


def _unused(templates: QuerySet[Template]) -> QuerySet[Template]:
    """Return templates without a message in that period. Templates younger than it are left out."""
    first = today() - _UNUSED_FOR
    return templates.filter(~Exists(_counts().filter(day__gte=first)), created_at__lt=start_of(first))


def _counts() -> QuerySet[HourlyCount]:
    return HourlyCount.objects.filter(service=OuterRef("service"), template=OuterRef("pk"), n__gt=0).order_by()
