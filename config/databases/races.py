"""Answer a request that lost a race for a unique value like one that came later."""

from collections.abc import Callable
from typing import TypeVar

from django.db import IntegrityError

Result = TypeVar("Result")


def again_if_raced(act: Callable[[], Result]) -> Result:
    """Return act(), and call it once more if a constraint refuses what it stores.

    act checks the rule itself, in a transaction of its own. Between this check and the write another transaction may
    store the value. The second check finds it, so that people get the ordinary error instead of an error page.
    """
    try:
        return act()
    except IntegrityError:
        return act()
