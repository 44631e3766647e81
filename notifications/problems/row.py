"""One way the sending API refuses a call, as it is explained."""

import re
from dataclasses import dataclass
from functools import cached_property

from notifications.errors import NotificationError


@dataclass(frozen=True, kw_only=True)
class Row:
    slug: str
    error: type[NotificationError]
    message: str
    fix: str

    @property
    def anchor(self) -> str:
        return f"errors-{self.slug}"

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(r"[\s\S]*".join(map(re.escape, self.message.split("…"))))

    def tells(self, fault: NotificationError) -> bool:
        return self._pattern.fullmatch(fault.message) is not None


def row(slug: str, error: type[NotificationError], fix: str, message: str = "") -> Row:
    return Row(slug=slug, error=error, message=message or error.text, fix=fix)
