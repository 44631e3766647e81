"""Show whether a data set is late. Source: docs/reference/data-sets.md §15; docs/reference/console.md §3.15."""

from datetime import timedelta

from datasets.models import DataSet
from datasets.store import freshness
from datasets.store.freshness import State


def shown(data_set: DataSet) -> tuple[str, str]:
    """Return the text and the tone of the chip."""
    state = freshness.state(data_set)
    if state != State.LATE:
        tones = {State.FRESH: "good", State.EMPTY: "warn"}
        return state.capitalize(), tones.get(state, "")
    late_by = freshness.late_by(data_set)
    hours = late_by // timedelta(hours=1)
    return (f"Late {hours} h" if hours else f"Late {late_by // timedelta(minutes=1)} min"), "bad"
