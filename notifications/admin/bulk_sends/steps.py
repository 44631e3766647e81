"""The steps of a bulk send, as the pages of a draft show them."""

from dataclasses import dataclass
from enum import StrEnum


class SendStep(StrEnum):
    UPLOAD = "Upload"
    COLUMNS = "Match columns"
    CHECK = "Check"
    SEND = "Send"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedStep:
    """A step on the page of another step. url: blank if it cannot be opened from there"""

    step: SendStep
    number: int
    is_current: bool
    is_done: bool
    url: str = ""


def steps(current: SendStep, **urls: str) -> list[LinkedStep]:
    """Return the steps. urls: of earlier steps, by the lower-case name of their member, such as `columns`"""
    order = list(SendStep)
    place = order.index(current)
    return [
        LinkedStep(
            step=step,
            number=number + 1,
            is_current=step is current,
            is_done=number < place,
            url=urls.get(step.name.lower(), "") if number < place else "",
        )
        for number, step in enumerate(order)
    ]
