"""Search a list for a whole recipient by POST, so that the URL of the result holds only a random id (trap T1).

Source: docs/reference/console.md §1.2 T1.
"""

from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST

from config.encryption import DecryptionFailed
from notifications.admin import permissions, saved_searches
from notifications.admin.service_rows import ServiceRowAdmin
from notifications.models import Role, recipient_hash
from notifications.recipients import normalise

_EXPIRED = "expired search"


class RecipientFilter(admin.SimpleListFilter):
    """The rows of the searched recipient. Without a search there is no filter.

    kind: of the saved searches, and of one list
    column: of the normalised recipient
    """

    title = "recipient"
    parameter_name = "search"
    kind: ClassVar[str] = ""
    column: ClassVar[str] = "normalised_recipient"

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        self._term: str | None = None
        super().__init__(request, params, model, model_admin)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        identifier = self.value()
        if identifier is None:
            return []
        saved = saved_searches.find(request, self.kind, identifier)
        if saved and permissions.may(request, Role.SEE_RECIPIENTS):
            try:
                self._term = saved.term
            except DecryptionFailed:
                self._term = None
        return [(identifier, self._term or _EXPIRED)]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if self.value() is None:
            return queryset
        if not self._term:
            return queryset.none()
        return queryset.filter(**{f"{self.column}__in": recipient_hash.forms_of(normalise(self._term))})


def recipient_filter(
    kind: str, *, title: str = "recipient", column: str = "normalised_recipient"
) -> type[RecipientFilter]:
    """Return the filter of one list. kind, column: see `RecipientFilter`"""
    return type("Filter", (RecipientFilter,), {"kind": kind, "title": title, "column": column})


class RecipientSearchAdmin(ServiceRowAdmin):
    """An admin whose list has the search.

    recipient_filter: its filter, which also stands in `list_filter`
    search_label: which kind of recipient to search for
    """

    recipient_filter: ClassVar[type[RecipientFilter]]
    search_label: ClassVar[str]
    change_list_template = "admin/notifications/recipient_search.html"
    list_pages = {"search": "search"}

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        context = {"search_url": self.url_of("search") if self._may_search(request) else "", **(extra_context or {})}
        return super().changelist_view(request, context)

    @method_decorator(require_POST)
    def search(self, request: HttpRequest) -> HttpResponse:
        """Store the searched recipient, and show the result under a URL without it."""
        if not self._may_search(request):
            raise PermissionDenied
        term = request.POST.get("term", "").strip()
        if not term:
            return HttpResponseRedirect(self.list_url())
        saved = saved_searches.keep(request, self.recipient_filter.kind, term)
        return HttpResponseRedirect(f"{self.list_url()}?{self.recipient_filter.parameter_name}={saved}")

    def _may_search(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request) and permissions.may(request, Role.SEE_RECIPIENTS)
