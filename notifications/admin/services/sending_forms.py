"""Forms of a service's quiet hours, repeat guard and kind of API keys. Source: docs/reference/console.md §2.2."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings

from config.console.checking import checked
from config.console.theme import CheckboxInput, NumberInput, Select, TextInput
from notifications.admin.services.forms import SectionForm
from notifications.models import Channel, Service
from notifications.validation import quiet_hours, services

_CHANNELS = {Channel.SMS: "Text messages", Channel.EMAIL: "Emails"}
_ZONES = ((quiet_hours.SERVICE, "Time zone of the service"), (quiet_hours.RECIPIENT, "Time zone of the recipient"))
_BOTH = "Enter both times, or leave both empty."


class QuietHoursForm(SectionForm):
    """The quiet hours of each channel. Empty times: none."""

    time_zone = forms.ChoiceField(
        label="Time zone of the service",
        required=False,
        widget=Select,
        help_text="Quiet hours are in this time zone, unless you choose the time zone of the recipient.",
    )

    class Meta:
        model = Service
        fields = ("time_zone",)

    def __init__(self, data: Any = None, *, instance: Service) -> None:
        super().__init__(data, instance=instance)
        default = f"{settings.TIME_ZONE} (default)"
        names = sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))
        choices = [("", default), *((name, name.replace("_", " ")) for name in names), ("UTC", "UTC")]
        self.fields["time_zone"].choices = choices  # type: ignore[attr-defined]  # a ChoiceField
        for channel, title in _CHANNELS.items():
            stored = (instance.quiet_hours or {}).get(channel.value, {})
            self.fields |= _fields(channel, title)
            shown = {f"{channel.value}_{name}": value for name, value in stored.items()}
            self.initial = {**self.initial, **shown}

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        given = {channel.value: hours for channel in _CHANNELS if (hours := self._hours(channel))}
        self._quiet_hours = checked(quiet_hours.parse, given) if not self.errors else None
        return cleaned

    def store(self) -> list[str]:
        self.instance.quiet_hours = self._quiet_hours
        self.instance.save(update_fields=["quiet_hours"])
        return [*super().store(), "quiet_hours"]

    def _guarded(self) -> list[str]:
        return [*super()._guarded(), "quiet_hours"]

    def _hours(self, channel: Channel) -> dict[str, str] | None:
        """Return the hours of a channel as they are stored, or None. Add an error to the field it concerns."""
        names = [f"{channel.value}_{end}" for end in ("from", "to")]
        begin, end = (self.cleaned_data.get(name) for name in names)
        if (begin is None) != (end is None):
            self.add_error(names[0] if begin is None else names[1], _BOTH)
        if begin is None or end is None:
            return None
        try:
            checked(quiet_hours.check, begin, end)
        except forms.ValidationError as error:
            self.add_error(names[1], error)
        zone = self.cleaned_data.get(f"{channel.value}_zone") or quiet_hours.SERVICE
        return {"from": begin.isoformat("minutes"), "to": end.isoformat("minutes"), "zone": zone}


class ApiForm(SectionForm):
    rules = {"repeat_guard_minutes": services.check_repeat_guard_minutes}

    class Meta:
        model = Service
        fields = ("repeat_guard_minutes", "suppressed_sends_are_rejected", "accepts_whole_keys")
        labels = {
            "repeat_guard_minutes": "Repeat guard (minutes)",
            "suppressed_sends_are_rejected": "Reject sends to suppressed recipients",
            "accepts_whole_keys": "Accept whole API keys",
        }
        widgets = {
            "repeat_guard_minutes": NumberInput,
            "suppressed_sends_are_rejected": CheckboxInput,
            "accepts_whole_keys": CheckboxInput,
        }
        help_texts = {
            "repeat_guard_minutes": "1 to 1,440, or 0 to turn it off. Within this time, a message with the same "
            "template, recipient and reference is not sent again: the caller gets the first message.",
            "suppressed_sends_are_rejected": "The API answers 400. Otherwise the message is accepted and ends as "
            "permanent-failure without being sent, as messages of bulk sends always do.",
            "accepts_whole_keys": "For programs that send the key itself in the header (ApiKey-v1) instead of a token. "
            "Less safe: everyone who reads a request can use the key.",
        }


def _fields(channel: Channel, title: str) -> dict[str, forms.Field]:
    def clock(label: str, help_text: str = "") -> forms.TimeField:
        wrong = {"invalid": "Enter a time, such as 21:00."}
        widget = TextInput(attrs={"type": "time"})
        return forms.TimeField(label=label, required=False, widget=widget, error_messages=wrong, help_text=help_text)

    until_help = "At most 20 hours later. Leave both times empty for no quiet hours."
    whose = forms.ChoiceField(label=f"{title}: time zone", required=False, choices=_ZONES, widget=Select)
    return {
        f"{channel.value}_from": clock(f"{title}: quiet from"),
        f"{channel.value}_to": clock(f"{title}: quiet until", until_help),
        f"{channel.value}_zone": whose,
    }
