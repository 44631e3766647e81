"""Filters of the list of bulk sends."""

from django.db.models import Q

from config.console.admin.filters import ChoiceFilter, by
from notifications.models import BulkState
from notifications.models.bulk_send import MOVING

_MOVING = [state.value for state in MOVING if state is not BulkState.SCHEDULED]


class StateFilter(ChoiceFilter):
    title = "state"
    parameter_name = "state"
    options = {
        "draft": ("Draft", by(Q(state=BulkState.DRAFT))),
        "scheduled": ("Scheduled", by(Q(state=BulkState.SCHEDULED))),
        "sending": ("Sending", by(Q(state__in=_MOVING))),
        "paused": ("Paused", by(Q(state=BulkState.PAUSED))),
        "finished": ("Finished", by(Q(state=BulkState.FINISHED))),
        "cancelled": ("Cancelled", by(Q(state=BulkState.CANCELLED))),
    }
