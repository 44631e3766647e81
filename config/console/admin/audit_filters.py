"""The filters of the audit: a form whose values are in the query string. A filter with an invalid value is ignored."""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from config import areas
from config.accounts.scope import Access
from config.audit.models import ActorKind
from config.console import audit_sentences, audit_verbs

_WHO = {
    ActorKind.USER: "People",
    ActorKind.KEY: "API keys",
    ActorKind.TOKEN: "Access tokens",
    ActorKind.CLOCK: "The system",
    ActorKind.COMMAND: "Commands",
}
KINDS = (
    "accesstoken",
    "alarm",
    "apikey",
    "attachment",
    "callbackendpoint",
    "datagroup",
    "dataset",
    "datatype",
    "guestlistentry",
    "notification",
    "protectedname",
    "replytoaddress",
    "retentionrun",
    "service",
    "smssender",
    "suppression",
    "teammember",
    "template",
    "user",
)


class AuditFilters(forms.Form):
    """The form above the list, with a field for the services or data sets of each area."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.GET, auto_id="filter-%s")
        self.columns = {"who": "actor_kind", "kind": "object_kind", "verb": "verb"}  # by name of the field
        self.fields |= {"from": _day("From"), "to": _day("To"), "who": _choice("Who", _WHO.items())}
        for area in areas.parts(Access):
            self.columns[area.column] = area.column
            self.fields[area.column] = _choice(area.title, area.choices(request))
        kinds = [(kind, audit_sentences.kind_of(kind)) for kind in KINDS]
        self.fields["kind"] = _choice("Kind", sorted(kinds, key=lambda kind: kind[1].lower()))
        known = {**audit_verbs.VERBS, **audit_verbs.OF_ACCOUNTS, **audit_verbs.OF_CLEAN_UP}
        verbs = [(verb, audit_sentences.in_words(verb)) for verb in known]
        self.fields["verb"] = _choice("Action", sorted(verbs, key=lambda verb: verb[1]))

    @property
    def is_set(self) -> bool:
        return any(self.data.get(name) for name in self.fields)

    def condition(self) -> Q:
        """Return the condition of the fields with a valid value."""
        self.full_clean()
        given = {name: value for name, value in self.cleaned_data.items() if value}
        found = Q(**{column: given[name] for name, column in self.columns.items() if name in given})
        if "from" in given:
            found &= Q(at__gte=_midnight(given["from"]))
        if "to" in given:
            found &= Q(at__lt=_midnight(given["to"] + timedelta(days=1)))
        return found


def _day(label: str) -> forms.DateField:
    years = [MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31))]
    widget = forms.DateInput(attrs={"type": "date", "class": "sb-input"})
    return forms.DateField(label=label, required=False, input_formats=["%Y-%m-%d"], validators=years, widget=widget)


def _choice(label: str, choices: Iterable[tuple[str, str]]) -> forms.ChoiceField:
    widget = forms.Select(attrs={"class": "sb-input"})
    return forms.ChoiceField(label=label, required=False, choices=[("", "All"), *choices], widget=widget)


def _midnight(day: date) -> datetime:
    """Return the start of a day in the console's time zone."""
    return timezone.make_aware(datetime.combine(day, time.min))
