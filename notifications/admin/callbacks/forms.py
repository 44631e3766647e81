"""Forms of callback endpoints: URL and token, name and events, test events, and failed events since a time.

Source: docs/reference/console.md §3.8; docs/reference/sending-api.md §20.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from config.console.checking import checked
from config.console.theme import CheckboxInput, CheckboxSelectMultiple, PasswordInput, RadioSelect, Select, TextInput
from config.invalid import InvalidValue
from config.outbound import http_client
from config.outbound.http_client import CallFailed
from config.outbound.targets import UnsafeUrl
from notifications.models import CallbackEndpoint, CallbackEvent, CallbackKind
from notifications.models.callback_event import ALLOWED_EVENTS, OF_DATA_SETS, parse_data_sets, parse_events
from notifications.validation import keys

LOOK_UP_SECONDS = 5.0

_KINDS = (
    (CallbackKind.EVENTS, "Events: type, time and data of the events that you choose"),
    (CallbackKind.DELIVERY_STATUS, "Delivery status: the final status of each message, as GOV.UK Notify sends it"),
    (CallbackKind.RECEIVED_TEXT_MESSAGE, "Received text message: each text, as GOV.UK Notify sends it"),
    (CallbackKind.UNSUBSCRIBE_REQUEST, "Unsubscribe request: each recipient who wants no more emails"),
)
_EVENTS_HELP = "Of the other formats, only delivery status has a choice: without one, delivered and failed."
_TOKEN_HELP = "At least 10 letters, digits or symbols. Every callback sends it as Authorization: Bearer …"  # noqa: S105


def url_error_of(request: HttpRequest) -> str:
    """Return why the submitted URL cannot be used: its form is wrong, or its host resolves to a refused IP address.

    Call it before the form's transaction begins: a DNS look-up may take seconds.
    """
    url = request.POST.get("url", "").strip()
    if request.method != "POST" or not url:
        return ""
    try:
        http_client.check_where_it_leads(url, seconds=LOOK_UP_SECONDS)
    except UnsafeUrl as error:
        return f"The URL {error}."
    except CallFailed as error:
        return f"The host of this URL cannot be reached: {error}. Check the spelling."
    return ""


class TargetForm(forms.Form):
    """URL and token. url_error: the result of `url_error_of`."""

    url_error = ""

    url = forms.CharField(
        label="URL",
        max_length=2000,
        widget=TextInput(attrs={"inputmode": "url", "autocomplete": "off", "spellcheck": "false"}),
        help_text="Begins with https:// and is not in a private network. Signalbox does not follow redirects.",
    )
    bearer_token = forms.CharField(
        label="Bearer token",
        strip=True,
        widget=PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_TOKEN_HELP,
    )

    def __init__(self, *args: Any, url_error: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.url_error = url_error or self.url_error

    def clean_url(self) -> str:
        if self.url_error:
            raise forms.ValidationError(self.url_error)
        url: str = self.cleaned_data["url"]
        return url

    def clean_bearer_token(self) -> str:
        token: str = self.cleaned_data["bearer_token"]
        if token:
            checked(keys.check_bearer_token, token)
        return token


class CallbackFields(forms.Form):
    """The name of an endpoint, its events, and their data sets."""

    name = forms.CharField(
        label="Name",
        required=False,
        max_length=keys.MAX_CALLBACK_NAME_CHARACTERS,
        widget=TextInput(attrs={"autocomplete": "off"}),
        help_text="Such as the name of the program that gets the events.",
    )
    events = forms.MultipleChoiceField(
        label="Events", required=False, choices=CallbackEvent.choices, widget=CheckboxSelectMultiple
    )
    data_sets = forms.TypedMultipleChoiceField(
        label="Data sets",
        required=False,
        coerce=int,
        widget=CheckboxSelectMultiple,
        help_text="For the events of data sets. You can add the data sets that you own or manage.",
    )

    def offer(
        self, allowed: Sequence[CallbackEvent], paths: Mapping[int, str], *, chosen: Collection[CallbackEvent] = ()
    ) -> None:
        """Set the choices of events and data sets. Without data sets, their events can only be kept.

        paths: of the data sets that the person may choose, by id
        """
        offered = [event for event in allowed if event not in OF_DATA_SETS or paths or event in chosen]
        events: Any = self.fields["events"]
        events.choices = [(event.value, event.label) for event in offered]
        events.widget.choices = events.choices
        if not paths or not set(OF_DATA_SETS).intersection(offered):
            del self.fields["data_sets"]
            return
        field: Any = self.fields["data_sets"]
        field.choices = sorted(paths.items(), key=lambda one: one[1])
        field.widget.choices = field.choices

    def check(self, others: QuerySet[CallbackEndpoint] | None, kind: str | None) -> None:
        """Check the name among other endpoints, and replace the chosen events and data sets by those to store."""
        cleaned = self.cleaned_data
        if others is not None and cleaned.get("name") and others.filter(name=cleaned["name"]).exists():
            self.add_error("name", "The service has a callback with this name already.")
        if not kind or "events" not in cleaned:
            return
        field = "events"
        try:
            cleaned["events"] = parse_events(CallbackKind(kind), cleaned["events"])
            if "data_sets" not in self.errors:
                field = "data_sets" if "data_sets" in self.fields else "events"
                cleaned["data_sets"] = parse_data_sets(cleaned["events"], cleaned.get("data_sets", ()))
        except InvalidValue as error:
            self.add_error(field, str(error))


class NewCallbackForm(TargetForm, CallbackFields, forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    kind = forms.ChoiceField(label="Format", choices=_KINDS, initial=CallbackKind.EVENTS, widget=RadioSelect)
    is_signed = forms.BooleanField(
        label="Sign every callback",
        required=False,
        initial=True,
        widget=CheckboxInput,
        help_text="The receiver can check that a callback comes from Signalbox. The format is Standard Webhooks. "
        "The secret is shown once.",
    )

    data_set_paths: Mapping[int, str] = MappingProxyType({})  # those that the person may use, by id

    class Meta:
        model = CallbackEndpoint
        fields = ("service", "name", "kind", "url")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["events"].help_text = _EVENTS_HELP
        self.offer(list(CallbackEvent), self.data_set_paths)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        service = cleaned.get("service")
        self.check(CallbackEndpoint.objects.filter(service=service) if service else None, cleaned.get("kind"))
        return cleaned

    def validate_unique(self) -> None:
        """Skip Django's check: the error of `clean` says what to do."""


class EditCallbackForm(TargetForm):
    """The URL, and a new token if the person enters one."""

    def __init__(self, *args: Any, row: CallbackEndpoint, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._row = row
        self.fields["bearer_token"].required = False
        self.fields[
            "bearer_token"
        ].help_text = f"Leave empty to keep the current token, unless the host of the URL changes. {_TOKEN_HELP}"

    def clean(self) -> dict[str, Any]:
        """Require the token if the host changes: a person who may change the URL need not know the token."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        url, token = cleaned.get("url"), cleaned.get("bearer_token")
        if url and token == "" and not self._row.keeps_token_for(url):
            self.add_error("bearer_token", "Enter the bearer token again, because the host of the URL has changed.")
        return cleaned


class EventsForm(CallbackFields):
    """The name of an endpoint, and its events if its kind has a choice.

    data_set_paths: of the data sets that the person may use, and of those that the endpoint has, by id
    """

    def __init__(self, data: Any = None, *, row: CallbackEndpoint, data_set_paths: Mapping[int, str]) -> None:
        initial = {"name": row.name, "events": row.chosen_events, "data_sets": row.data_sets}
        super().__init__(data, initial=initial)
        self._row = row
        allowed = ALLOWED_EVENTS[CallbackKind(row.kind)]
        self.offer(allowed, data_set_paths, chosen=row.chosen_events)
        field: Any = self.fields["events"]
        field.required = True
        field.error_messages["required"] = "Choose at least one event."

    def clean(self) -> dict[str, Any]:
        others = CallbackEndpoint.objects.filter(service=self._row.service_id).exclude(pk=self._row.pk)
        self.check(others, self._row.kind)
        return self.cleaned_data


class TestForm(forms.Form):
    """The test event to send."""

    of_type = forms.ChoiceField(label="Event", required=False, widget=Select)

    def __init__(self, data: Any = None, *, events: Sequence[CallbackEvent]) -> None:
        super().__init__(data)
        self._events = events
        if len(events) == 1:
            del self.fields["of_type"]
        else:
            choice: Any = self.fields["of_type"]
            choice.choices = [(event.value, event.label) for event in events]

    @property
    def event(self) -> CallbackEvent:
        return CallbackEvent(self.cleaned_data.get("of_type") or self._events[0])


class SinceForm(forms.Form):
    since = forms.DateTimeField(
        label="Failed since",
        widget=TextInput(attrs={"type": "datetime-local"}),
        help_text="In the time zone of the console. Events of deleted messages cannot be sent again.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        a_day_ago = timezone.localtime(timezone.now() - timedelta(days=1))
        self.fields["since"].initial = f"{a_day_ago:%Y-%m-%dT%H:%M}"

    def clean_since(self) -> Any:
        since = self.cleaned_data["since"]
        if since > timezone.now():
            raise forms.ValidationError("Enter a time in the past.")
        return since
