"""Example and default values in the editor: as submitted, else as stored. Source: docs/reference/console.md §2.4."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from notifications.admin.templates.languages import plain_text
from notifications.models import Channel, Template
from notifications.rendering import placeholders
from notifications.submission.templates import samples
from notifications.submission.templates.samples import FILE, LIST, NO, TEXT, YES, Sample

VALUE, KIND, OPTIONAL, DEFAULT = "sample-", "kind-", "optional-", "default-"  # prefixes of a placeholder's field names
KINDS = {TEXT: "Text", LIST: "List", YES: "Yes", NO: "No", FILE: "A file"}
MOST = 200  # placeholders with an example value
_LONGEST = 5_000


def kinds(channel: Channel) -> dict[str, str]:
    """Return the kinds of example value. Text messages cannot have files."""
    return {kind: title for kind, title in KINDS.items() if kind != FILE or channel is Channel.EMAIL}


def read(typed: Mapping[str, Any], texts: Iterable[str], template: Template | None, channel: Channel) -> list[Sample]:
    """Return the example value of each placeholder: as submitted, else as stored or guessed."""
    return [_read(typed, sample, channel) for sample in samples.find(template, *texts)[:MOST]]


def read_defaults(typed: Mapping[str, Any], *texts: str) -> dict[str, str]:
    """Return the submitted default values of the placeholders of these texts."""
    found = ((name, _default(typed, name)) for name in placeholders.find(*texts)[:MOST])
    return {name: text for name, text in found if text is not None}


def default_fields(defaults: Mapping[str, str]) -> dict[str, str]:
    """Return stored default values as form data."""
    ticks = {f"{OPTIONAL}{name}": "on" for name in defaults}
    return ticks | {f"{DEFAULT}{name}": text for name, text in defaults.items()}


def _read(typed: Mapping[str, Any], before: Sample, channel: Channel) -> Sample:
    before = replace(before, default=_default(typed, before.name))
    kind, value = typed.get(f"{KIND}{before.name}"), typed.get(f"{VALUE}{before.name}")
    if kind is None and value is None:
        return before
    text = plain_text(value)[:_LONGEST]
    return replace(before, kind=kind if kind in kinds(channel) else TEXT, value=text)


def _default(typed: Mapping[str, Any], name: str) -> str | None:
    """Return the submitted default value of a placeholder. None: a send must give a value."""
    return plain_text(typed.get(f"{DEFAULT}{name}")) if typed.get(f"{OPTIONAL}{name}") else None
