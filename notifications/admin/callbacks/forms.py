"""Forms for the URL and the bearer token of a callback endpoint.

Source: docs/reference/console.md §3.8; docs/reference/sending-api.md §20.
"""

from datetime import timedelta
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils import timezone

from config.console.checking import checked
from config.console.theme import CheckboxInput, PasswordInput, RadioSelect, TextInput
from config.outbound import http_client
from config.outbound.http_client import CallFailed
from config.outbound.targets import UnsafeUrl
from notifications.models import CallbackEndpoint, CallbackKind
from notifications.validation import keys

LOOK_UP_SECONDS = 5.0

_KINDS = (
    (CallbackKind.DELIVERY_STATUS, "Delivery status: the final status of each message"),
    (CallbackKind.RECEIVED_TEXT_MESSAGE, "Received text message: each text message that the service receives"),
    (CallbackKind.UNSUBSCRIBE_REQUEST, "Unsubscribe request: each recipient who wants no more emails"),
)
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


class NewCallbackForm(TargetForm, forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    kind = forms.ChoiceField(label="Sends", choices=_KINDS, initial=CallbackKind.DELIVERY_STATUS, widget=RadioSelect)
    is_signed = forms.BooleanField(
        label="Sign every callback",
        required=False,
        initial=True,
        widget=CheckboxInput,
        help_text="The receiver can check that a callback comes from Signalbox. The format is Standard Webhooks. "
        "The secret is shown once.",
    )

    class Meta:
        model = CallbackEndpoint
        fields = ("service", "kind", "url")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        service, kind = cleaned.get("service"), cleaned.get("kind")
        if service and kind and CallbackEndpoint.objects.filter(service=service, kind=kind).exists():
            self.add_error("kind", "This service already has a callback of this kind. Change that one instead.")
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
