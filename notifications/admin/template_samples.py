"""The editor's fields for example values: what was typed, else what is kept. Source: Staff console §2.4."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from notifications.models import Channel, Template
from notifications.submission import samples
from notifications.submission.samples import FILE, LIST, NO, TEXT, YES, Sample

VALUE, KIND = "sample-", "kind-"  # what the fields of a placeholder are called, before its name
KINDS = {TEXT: "Text", LIST: "List", YES: "Yes", NO: "No", FILE: "A file"}
MOST = 200  # placeholders that have a sample
_LONGEST = 5_000


def kinds(channel: Channel) -> dict[str, str]:
    """Return what a sample may be; a text message cannot hold a file."""
    return {kind: title for kind, title in KINDS.items() if kind != FILE or channel is Channel.EMAIL}


def read(typed: Mapping[str, Any], texts: Iterable[str], template: Template | None, channel: Channel) -> list[Sample]:
    """Return a sample for each placeholder of the texts: as typed, else as kept with the template or guessed."""
    return [_read(typed, sample, channel) for sample in samples.find(template, *texts)[:MOST]]


def to_keep(samples: Iterable[Sample]) -> dict[str, dict[str, str]]:
    return {sample.name: sample.kept() for sample in samples}


def _read(typed: Mapping[str, Any], before: Sample, channel: Channel) -> Sample:
    kind, value = typed.get(f"{KIND}{before.name}"), typed.get(f"{VALUE}{before.name}")
    if kind is None and value is None:
        return before
    text = str(value or "").replace("\r\n", "\n").replace("\0", "")[:_LONGEST]
    return replace(before, kind=kind if kind in kinds(channel) else TEXT, value=text)
