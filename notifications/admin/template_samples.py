"""What the editor tries placeholders with: text, a list, yes or no, a file. Source: Staff console §2.4."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from notifications.attachments import links
from notifications.models import Channel, Service, Template
from notifications.rendering import placeholders

VALUE, KIND = "sample-", "kind-"  # what the fields of a placeholder are called, before its name
TEXT, LIST, YES, NO, FILE = "text", "list", "yes", "no", "file"
KINDS = {TEXT: "Text", LIST: "List", YES: "Yes", NO: "No", FILE: "A file"}
MOST = 200  # placeholders that have a sample
_LONGEST = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What one placeholder is tried with; `value` is typed text, and means something for a text and a list only."""

    name: str
    kind: str = TEXT
    value: str = ""

    @property
    def fields(self) -> tuple[str, str]:
        return f"{KIND}{self.name}", f"{VALUE}{self.name}"

    def stands_for(self, service: Service | None) -> object:
        """Return what a caller would send, None where nothing is given; a file is the link it becomes."""
        if self.kind in (YES, NO):
            return self.kind
        if self.kind == FILE:
            return links.for_simulation(service.pk) if service else None
        if self.kind == LIST:
            return [line.strip() for line in self.value.splitlines() if line.strip()] or None
        return self.value or None

    def kept(self) -> dict[str, str]:
        return {"kind": self.kind, "value": self.value}


def kinds(channel: Channel) -> dict[str, str]:
    """Return what a sample may be; a text message cannot hold a file."""
    return {kind: title for kind, title in KINDS.items() if kind != FILE or channel is Channel.EMAIL}


def read(typed: Mapping[str, Any], names: Iterable[str], template: Template | None, channel: Channel) -> list[Sample]:
    """Return a sample for each placeholder: as typed, else as kept with the template, else empty."""
    kept = _kept(template)
    return [_read(typed, name, kept, channel) for name in list(names)[:MOST]]


def to_keep(samples: Iterable[Sample]) -> dict[str, dict[str, str]]:
    return {sample.name: sample.kept() for sample in samples}


def _read(typed: Mapping[str, Any], name: str, kept: Mapping[str, Sample], channel: Channel) -> Sample:
    kind, value = typed.get(f"{KIND}{name}"), typed.get(f"{VALUE}{name}")
    if kind is None and value is None:
        before = kept.get(placeholders.key(name), Sample(name=name))
        return Sample(name=name, kind=before.kind, value=before.value)
    text = str(value or "").replace("\r\n", "\n").replace("\0", "")[:_LONGEST]
    return Sample(name=name, kind=kind if kind in kinds(channel) else TEXT, value=text)


def _kept(template: Template | None) -> dict[str, Sample]:
    stored = template.samples if template else {}
    return {
        placeholders.key(name): Sample(name=name, kind=one["kind"], value=one["value"]) for name, one in stored.items()
    }
