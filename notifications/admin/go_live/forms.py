"""Forms of a request to go live: the expected volumes, and the note of an operator who sends it back."""

from typing import Any

from django import forms

from config.console.checking import validator
from config.console.theme import TextInput
from notifications.models import GoLiveRequest, Permission, Service
from notifications.validation import services


class AskForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """The request of a team. A channel that the service does not use has no field."""

    class Meta:
        model = GoLiveRequest
        fields = ("emails_per_day", "texts_per_day", "purpose")
        labels = {
            "emails_per_day": "Emails per day",
            "texts_per_day": "Text messages per day",
            "purpose": "What the messages are about",
        }
        help_texts = {
            "emails_per_day": "The most that you expect on one day.",
            "texts_per_day": "The most that you expect on one day.",
            "purpose": "For example: reminders of appointments at the library.",
        }
        widgets = {"purpose": TextInput}

    def __init__(self, data: Any = None, *, service: Service) -> None:
        super().__init__(data, instance=GoLiveRequest(service=service, emails_per_day=0, texts_per_day=0))
        channels = {"emails_per_day": Permission.EMAIL, "texts_per_day": Permission.SMS}
        for name, permission in channels.items():
            if permission in service.permissions:
                self.fields[name].validators = [validator(services.check_daily_limit)]
                self.initial[name] = None
            else:
                del self.fields[name]


class NoteForm(forms.Form):
    note = forms.CharField(
        label="Note", max_length=500, widget=TextInput, help_text="Say what the team has to do first. They read it."
    )
