"""Objects that only one thread may use, such as connections that are kept open between messages."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class PerThread(Generic[Made]):
    """Call it to get the object of the current thread. `make` makes the object at the first call in each thread."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._of_thread = threading.local()

    def __call__(self) -> Made:
        if not hasattr(self._of_thread, "made"):
            self._of_thread.made = self._make()
        made: Made = self._of_thread.made
        return made
