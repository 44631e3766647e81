"""The fields of the send form for each placeholder, chosen by the example value that the template keeps.

Source: docs/reference/console.md §2.11.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django import forms

from notifications.attachments.validation import DEFAULT_WEEKS
from notifications.models import Channel, Template
from notifications.models.attachment import MAX_WEEKS
from notifications.rendering import placeholders
from notifications.submission.templates import TemplateText, samples
from notifications.submission.templates.samples import FILE, LIST, NO, TEXT, YES

_WEEKS = f"Enter a number of weeks from 1 to {MAX_WEEKS}."
_LONGEST_EXAMPLE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One placeholder. is_known: the template or its text states the kind; example: the stored example value.

    default: the value that an empty field stands for, or None
    """

    number: int
    name: str
    kind: str
    is_known: bool
    example: str = ""
    default: str | None = None

    @property
    def is_choice(self) -> bool:
        return self.kind in (YES, NO)

    @property
    def is_file(self) -> bool:
        return self.kind == FILE

    @property
    def hint(self) -> str:
        """Return the help text of the field."""
        if self.default is not None:
            shown = f"“{self.default}”" if self.default else "no text"
            return f"Leave this empty to send {shown}, the default value."
        if self.kind == LIST:
            return "One item per line."
        if not self.is_known:
            return "For a list: one item per line."
        return f"For example: {self.example}" if self.kind == TEXT and self.example else ""

    @property
    def missing(self) -> str:
        """Return the error text for an empty field."""
        if self.is_choice:
            return f"Choose yes or no for {self.name}."
        return f"Choose a file for {self.name}." if self.is_file else f"Enter a value for {self.name}."

    @property
    def field(self) -> str:
        """Return the name of the form field that shows errors of the value."""
        return f"{'file' if self.is_file else 'value'}-{self.number}"

    def value(self, typed: str) -> object:
        """Return the value as a program would send it. If the kind is unknown, several lines make a list."""
        lines = samples.items(typed)
        if self.kind == LIST or (not self.is_known and len(lines) > 1):
            return lines
        return typed


def find(template: Template, text: TemplateText) -> list[Slot]:
    """Return a slot for each placeholder of a text of the template. Only emails can have files."""
    texts = (text.subject, text.content)
    known = placeholders.conditions(*texts) | set(samples.kept(template))
    defaults = {placeholders.key(name): default for name, default in text.defaults.items()}
    fixed = set(map(placeholders.key, text.files))
    is_email = text.type is Channel.EMAIL
    return [
        Slot(
            number=number,
            name=sample.name,
            kind=sample.kind if is_email or sample.kind != FILE else TEXT,
            is_known=placeholders.key(sample.name) in known,
            example=" ".join(sample.value.split())[:_LONGEST_EXAMPLE],
            default=defaults.get(placeholders.key(sample.name)),
        )
        for number, sample in enumerate(samples.find(template, *texts))
        if placeholders.key(sample.name) not in fixed
    ]


def fields(slots: Iterable[Slot], channel: Channel) -> dict[str, forms.Field]:
    """Return the form fields of the slots: a text or a choice, and a file if the placeholder can hold one."""
    found: dict[str, forms.Field] = {}
    for slot in slots:
        if not slot.is_file:
            found[f"value-{slot.number}"] = _value(slot)
        if slot.is_file or (channel is Channel.EMAIL and not slot.is_known):
            found |= _file(slot)
    return found


def _value(slot: Slot) -> forms.Field:
    kept = {"data-keep": f"value {slot.name}"}  # its number differs between languages and templates
    if slot.is_choice:
        choices = [(YES, "Yes"), (NO, "No")]
        return forms.ChoiceField(required=False, label=slot.name, choices=choices, widget=forms.RadioSelect(attrs=kept))
    area = forms.Textarea(attrs={"rows": 3 if slot.kind == LIST else 1, "class": "sb-input", **kept})
    return forms.CharField(required=False, strip=False, label=slot.name, widget=area)


def _file(slot: Slot) -> dict[str, forms.Field]:
    weeks = forms.NumberInput(attrs={"min": 1, "max": MAX_WEEKS, "class": "sb-input"})
    words = {"invalid": _WEEKS, "min_value": _WEEKS, "max_value": _WEEKS}
    return {
        f"file-{slot.number}": forms.FileField(required=False, label=f"File for {slot.name}"),
        f"asks-{slot.number}": forms.BooleanField(required=False, initial=True),
        f"weeks-{slot.number}": forms.IntegerField(
            required=False,
            initial=DEFAULT_WEEKS,
            label=f"Weeks to keep the file for {slot.name}",
            widget=weeks,
            min_value=1,
            max_value=MAX_WEEKS,
            error_messages=words,
        ),
    }
