"""Wait for something in the sandbox. Source: docs/reference/running.md §9."""

import time
from collections.abc import Callable
from typing import TypeVar

from django.http import HttpRequest

from notifications.errors import SandboxParameterInvalid

LONGEST_SECONDS = 30
# A test that sends one message and reads it should take less than 50 ms.
_FIRST_LOOK_SECONDS, _LOOK_EVERY_SECONDS = 0.005, 0.1

Found = TypeVar("Found")


def seconds(request: HttpRequest) -> float:
    """Return the parameter `wait`, at most LONGEST_SECONDS. Raises SandboxParameterInvalid."""
    text = request.GET.get("wait", "0")
    if not text.isdecimal():
        raise SandboxParameterInvalid(name="wait", rule="be a number of seconds")
    return min(float(text), LONGEST_SECONDS)


def until(look: Callable[[], list[Found]], wait_seconds: float) -> list[Found]:
    """Return what `look` finds. Look again until it finds something or the time is over, at growing intervals."""
    deadline = time.monotonic() + wait_seconds
    pause = _FIRST_LOOK_SECONDS
    while True:
        found = look()
        if found or time.monotonic() >= deadline:
            return found
        time.sleep(pause)
        pause = min(pause * 1.5, _LOOK_EVERY_SECONDS)
