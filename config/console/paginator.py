"""A paginator that stops counting: over millions of rows `count(*)` is the slowest query of a list (trap T5)."""

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.functional import cached_property

MOST_COUNTED = 10_000  # Staff console §1.2 T5: "more than 10 000"


class CappedPaginator(Paginator):  # type: ignore[type-arg]  # Django's takes no parameter at run time
    @cached_property
    def count(self) -> int:
        """Return how many rows there are, at most MOST_COUNTED."""
        return min(self._counted, MOST_COUNTED)

    @property
    def is_capped(self) -> bool:
        return self._counted > MOST_COUNTED

    @cached_property
    def _counted(self) -> int:
        rows = self.object_list
        if isinstance(rows, QuerySet):
            return rows.order_by()[: MOST_COUNTED + 1].count()
        return len(rows)
