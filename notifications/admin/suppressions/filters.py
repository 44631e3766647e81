"""The filters of the list of suppressions."""

from django.db.models import Q
from django.db.models.functions import Now

from config.console.admin.filters import ChoiceFilter, by
from notifications.admin import recipient_search

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


class RecipientFilter(recipient_search.RecipientFilter):
    kind = "suppressions"
