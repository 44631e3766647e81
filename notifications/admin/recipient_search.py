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
from notifications.admin.list_download import DownloadAdmin
from notifications.models import Role, recipient_hash
from notifications.recipients import normalise

_EXPIRED = "expired search"


class RecipientFilter(admin.SimpleListFilter):
    """The rows of the searched recipient. Without a search there is no filter."""

    title = "recipient"
    parameter_name = "search"

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: "RecipientSearchAdmin") -> None:
        self._term: str | None = None
        self._column = model_admin.search_column
        super().__init__(request, params, model, model_admin)
        self.title = model_admin.search_title

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        identifier = self.value()
        if identifier is None:
            return []
        saved = saved_searches.find(request, model_admin.search_kind, identifier)
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
        return queryset.filter(**{f"{self._column}__in": recipient_hash.forms_of(normalise(self._term))})


class RecipientSearchAdmin(DownloadAdmin):
    """An admin whose list has the search.

    search_kind: of the saved searches of this list
    search_label, search_title: which kind of recipient to search for, above the list and as the name of the filter
    search_column: of the normalised recipient
    """

    shows_recipients = True
    view_roles = frozenset({Role.SEE_ACTIVITY})
    search_kind: ClassVar[str]
    search_label: ClassVar[str]
    search_title: ClassVar[str] = "recipient"
    search_column: ClassVar[str] = "normalised_recipient"
    ordering = ("-created_at", "-id")
    sortable_by = ()
    change_list_template = "admin/notifications/recipient_search.html"
    list_pages = {**DownloadAdmin.list_pages, "search": "search"}

    class Media:
        css = {"all": ("notifications/messages.css", "notifications/log.css")}

    def get_list_filter(self, request: HttpRequest) -> Any:
        return (*super().get_list_filter(request), RecipientFilter)

    def list_context(self, request: HttpRequest, changelist: Any) -> dict[str, Any]:
        return {"search_url": self.url_of("search") if self._may_search(request) else ""}

    @method_decorator(require_POST)
    def search(self, request: HttpRequest) -> HttpResponse:
        """Store the searched recipient, and show the result under a URL without it."""
        if not self._may_search(request):
            raise PermissionDenied
        term = request.POST.get("term", "").strip()
        if not term:
            return HttpResponseRedirect(self.list_url())
        saved = saved_searches.keep(request, self.search_kind, term)
        return HttpResponseRedirect(f"{self.list_url()}?{RecipientFilter.parameter_name}={saved}")

    def _may_search(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request) and permissions.may(request, Role.SEE_RECIPIENTS)
