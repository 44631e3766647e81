"""The filters of the list of suppressions."""

from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.db.models.functions import Now
from django.http import HttpRequest

from config.console.admin.filters import ChoiceFilter, by
from config.encryption import DecryptionFailed
from notifications.admin import permissions, saved_searches
from notifications.models import Role
from notifications.recipients import normalise

KIND = "suppressions"  # of the saved searches
_EXPIRED = "expired search"
_IS_LIFTED = Q(lifted_at__isnull=False)
_HAS_EXPIRED = Q(lifted_at=None, expires_at__lte=Now())


class StateFilter(ChoiceFilter):
    title = "state"
    parameter_name = "state"
    options = {
        "active": ("Active", by(~_IS_LIFTED & ~_HAS_EXPIRED)),
        "lifted": ("Lifted", by(_IS_LIFTED)),
        "expired": ("Expired", by(_HAS_EXPIRED)),
    }


class RecipientFilter(admin.SimpleListFilter):
    """The search by POST: the URL holds the id of a stored term. Without a search there is no filter."""

    title = "recipient"
    parameter_name = "search"

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        self._term: str | None = None
        super().__init__(request, params, model, model_admin)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        identifier = self.value()
        if identifier is None:
            return []
        saved = saved_searches.find(request, KIND, identifier)
        if saved and permissions.may(request, Role.SEE_RECIPIENTS):
            try:
                self._term = saved.term
            except DecryptionFailed:
                self._term = None
        return [(identifier, self._term or _EXPIRED)]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if self.value() is None:
            return queryset
        return queryset.filter(normalised_recipient=normalise(self._term)) if self._term else queryset.none()
