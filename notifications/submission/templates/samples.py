"""Example values of a template's placeholders: text, a list, yes or no, a file. Source: docs/reference/console.md §2.4.

The preview in the editor, the console's form for sending and the example calls use them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from notifications.attachments import links
from notifications.models import Service, Template
from notifications.rendering import placeholders

TEXT, LIST, YES, NO, FILE = "text", "list", "yes", "no", "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The example value of one placeholder.

    value: the typed text; used for a text or a list only
    default: the default value in the editor; None if a send must give a value
    """

    name: str
    kind: str = TEXT
    value: str = ""
    default: str | None = None

    def stands_for(self, service: Service | None) -> object:
        """Return the value as a caller would send it, or None if it is empty. A file is returned as its link."""
        if self.kind in (YES, NO):
            return self.kind
        if self.kind == FILE:
            return links.for_simulation(service.pk) if service else None
        if self.kind == LIST:
            return items(self.value) or None
        return self.value or None

    def kept(self) -> dict[str, str]:
        return {"kind": self.kind, "value": self.value}


def items(typed: str) -> list[str]:
    """Return the items of a list that is typed with one item a line."""
    return [line.strip() for line in typed.splitlines() if line.strip()]


def kept(template: Template | None) -> dict[str, Sample]:
    """Return the samples of a template by the key of their placeholder."""
    stored = template.samples if template else {}
    return {
        placeholders.key(name): Sample(name=name, kind=one["kind"], value=one["value"]) for name, one in stored.items()
    }


def find(template: Template | None, *texts: str) -> list[Sample]:
    """Return a sample for each placeholder: the stored one, else yes for a condition, else an empty text."""
    known = kept(template)
    conditions = placeholders.conditions(*texts)
    return [
        Sample(name=name, kind=known[key].kind, value=known[key].value)
        if (key := placeholders.key(name)) in known
        else Sample(name=name, kind=YES if key in conditions else TEXT)
        for name in placeholders.find(*texts)
    ]


def values(template: Template, *texts: str) -> Mapping[str, object]:
    """Return the values of an example call: the stored ones, and `a <name>` for placeholders without a value."""
    return {
        sample.name: f"a {sample.name}" if sample.kind == FILE else sample.stands_for(None) or f"a {sample.name}"
        for sample in find(template, *texts)
    }
