"""How fresh a data set is, in a word. Source: Data Set contract §15."""

from datetime import timedelta

from django.utils import timezone

from datasets.models import DataSet


def shown(data_set: DataSet) -> tuple[str, str]:
    """Return the word and the tone of its chip."""
    if data_set.expected_every_seconds is None:
        return "Not watched", ""
    if data_set.last_write_at is None:
        return "Silent", "warn"
    late_by = timezone.now() - data_set.last_write_at - timedelta(seconds=data_set.expected_every_seconds)
    if late_by <= timedelta():
        return "Fresh", "good"
    hours = late_by // timedelta(hours=1)
    return (f"Late {hours} h" if hours else f"Late {late_by // timedelta(minutes=1)} min"), "bad"
