"""Breaking changes of a template: new placeholders that callers do not send yet.

Source: docs/reference/console.md §2.4.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from notifications.admin import kept_use
from notifications.models import Template, TemplateVersion
from notifications.rendering import placeholders


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """names: the new placeholders, spelled as in the text; used_by: a sentence that names the keys."""

    names: Sequence[str]
    used_by: str

    @property
    def accepted(self) -> str:
        """Return the confirmation value of the button. A further new placeholder needs a new confirmation."""
        return "((" + "))((".join(sorted(map(placeholders.key, self.names))) + "))"

    @property
    def error(self) -> str:
        """Return the error that callers would get."""
        return f"Missing personalisation: {', '.join(self.names)}"


def find(template: Template, before: TemplateVersion, *texts: str) -> Break | None:
    """Return the breaking change of a new text. None: no new placeholder, or no key uses the template."""
    known = set(map(placeholders.key, placeholders.find(before.subject or "", before.content)))
    names = [name for name in placeholders.find(*texts) if placeholders.key(name) not in known]
    if not names:
        return None
    keys = kept_use.keys(template.service_id, "template", [template.pk])
    if template.pk not in keys.names:
        return None
    return Break(names=names, used_by=keys.sentence(template.pk))
