"""What a new version of a template breaks: calls of keys that do not send a new placeholder yet.

Source: Staff console §2.4.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from notifications.admin import kept_use
from notifications.models import Template, TemplateVersion
from notifications.rendering import placeholders


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """names: placeholders that are new, as the text spells them; used_by: a sentence that names the keys."""

    names: Sequence[str]
    used_by: str

    @property
    def accepted(self) -> str:
        """Return what the button sends for a person who has read this; another placeholder asks once more."""
        return "((" + "))((".join(sorted(map(placeholders.key, self.names))) + "))"

    @property
    def refusal(self) -> str:
        """Return the answer that callers would get."""
        return f"Missing personalisation: {', '.join(self.names)}"


def find(template: Template, before: TemplateVersion, *texts: str) -> Break | None:
    """Return what breaks if these texts replace a version; None if nothing is new or no key uses the template."""
    known = set(map(placeholders.key, placeholders.find(before.subject or "", before.content)))
    names = [name for name in placeholders.find(*texts) if placeholders.key(name) not in known]
    if not names:
        return None
    keys = kept_use.keys(template.service_id, "template", [template.pk])
    if template.pk not in keys.names:
        return None
    return Break(names=names, used_by=keys.sentence(template.pk))
