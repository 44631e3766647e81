"""The largest number of alarms of one data set, checked by the console and `provision`.

Source: docs/reference/alarms.md §1.
"""

from config.invalid import InvalidValue
from datasets.models import DataSet
from datasets.validation import MAX_ALARMS


def check(data_set: DataSet) -> None:
    """Raise InvalidValue if the data set has no room for a new alarm. Each service may have one on the statistics."""
    if not data_set.is_of_product and data_set.alarms.count() >= MAX_ALARMS:
        raise InvalidValue(f"A data set can have {MAX_ALARMS} alarms. Delete one first.")
