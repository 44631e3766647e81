"""Pages of alarms: the list, one alarm, silencing and deleting it. Source: docs/reference/alarms.md."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from config import formats
from config.console import cells
from config.console.admin import Button, ConsoleModelAdmin
from config.console.admin.columns import column
from config.console.admin.filters import by, choice_filter
from datasets.admin.access import alarms_of, author, may_see_alarms, parts_of, readable_by, reads_some, saved_queries_of
from datasets.admin.alarm_forms import AlarmForm, MuteForm
from datasets.alarms import measures
from datasets.models import Alarm, AlarmMeasure

_UNITS = {
    **dict.fromkeys((AlarmMeasure.MINUTES, AlarmMeasure.LATE, AlarmMeasure.EMPTIED), " min"),
    **dict.fromkeys((AlarmMeasure.SHARE, AlarmMeasure.CHANGE), " %"),
}


@admin.register(Alarm)
class AlarmAdmin(ConsoleModelAdmin):
    form = AlarmForm
    fields = (
        *("data_set", "name", "measure", "saved_query", "condition", "limit", "grace_minutes", "interval_minutes"),
        *("quiet_from", "quiet_until", "email_addresses", "phone_numbers", "message"),
    )
    add_fields = fields
    readonly_fields = ("state", "share_in_words")
    list_display = ("name", "data_set", "rule", "state", "people")
    list_filter = (choice_filter("state", {"raised": ("Raised", by(Q(raised_at__isnull=False)))}),)
    row_actions = {"mute": "mute", "unmute": "unmute", "remove": "remove"}
    create_verb = "Create"
    empty = "No alarms on your data sets yet. An alarm tells people when records are missing, or a value is too high."

    def get_queryset(self, request: HttpRequest) -> QuerySet[Alarm]:
        return alarms_of(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is None:
            return may_see_alarms(request)
        return alarms_of(request).filter(pk=obj.pk).exists()

    has_change_permission = has_view_permission

    def has_add_permission(self, request: HttpRequest) -> bool:
        return reads_some(request)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        known = {"parts": frozenset(parts_of(request).values_list("pk", flat=True))}
        kwargs["form"] = type(AlarmForm.__name__, (AlarmForm,), known)
        return super().get_form(request, obj, change=change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return self.add_fields
        shown = ("state", "share_in_words") if obj.measure == AlarmMeasure.SHARE else ("state",)
        return (*shown, *self.fields)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Keep the data set of an alarm, because its share may name fields of it."""
        return self.readonly_fields if obj is None else ("data_set", *self.readonly_fields)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "data_set":
            kwargs["queryset"] = readable_by(request).select_related("group", "type")
        if db_field.name == "saved_query":
            kwargs["queryset"] = saved_queries_of(request).order_by("name")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_by = author(request)
        super().save_model(request, obj, form, change)

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        mute = Button("Mute…", "mute") if not obj.muted_until else Button("Unmute…", "unmute")
        return [mute, Button("Delete…", "remove", tone="ending")]

    def mute(self, request: HttpRequest, alarm: Alarm) -> HttpResponse:
        """Send no messages until a time. The alarm is still raised and ended."""
        form = MuteForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            alarm.muted_until = form.until()
            alarm.save(update_fields=["muted_until"])
            until = formats.spoken(alarm.muted_until)
            self.audit(request, "muted", alarm, after={"muted_until": alarm.muted_until.isoformat()})
            return self.action_done(request, self.row_url(alarm), f"{alarm} sends no messages until {until}.")
        explanation = ["People get no messages in this time. If the alarm is still raised then, they get one."]
        return self.action_page(request, alarm, f"Mute {alarm}", "Mute alarm", explanation, form=form)

    def unmute(self, request: HttpRequest, alarm: Alarm) -> HttpResponse:
        if request.method == "POST":
            alarm.muted_until = None
            alarm.save(update_fields=["muted_until"])
            self.audit(request, "unmuted", alarm)
            return self.action_done(request, self.row_url(alarm), f"{alarm} sends messages again.")
        explanation = ["If the alarm is raised now, people get a message within a minute."]
        return self.action_page(request, alarm, f"Unmute {alarm}", "Unmute alarm", explanation)

    def remove(self, request: HttpRequest, alarm: Alarm) -> HttpResponse:
        if request.method == "POST":
            self.delete_model(request, alarm)
            return self.action_done(request, self.list_url(), f"{alarm} is deleted.")
        explanation = ["Messages that are not sent yet are deleted with the alarm."]
        return self.action_page(request, alarm, f"Delete {alarm}", "Delete alarm", explanation, is_destructive=True)

    # Columns

    rule = column("Rule", lambda alarm: rule_of(alarm))
    people = column("People", lambda alarm: len(alarm.email_addresses) + len(alarm.phone_numbers))

    @admin.display(description="State")
    def state(self, alarm: Alarm) -> SafeString:
        value = (
            "no value"
            if alarm.value is None
            else f"{measures.in_words(alarm.value, alarm.limit)}{_UNITS.get(AlarmMeasure(alarm.measure), '')}"
        )
        if alarm.raised_at is not None:
            return cells.two_lines(cells.chip("Raised", "bad"), f"{value}, since {formats.spoken(alarm.raised_at)}")
        return cells.two_lines(cells.chip("Not raised", "good"), value)

    @admin.display(description="Share")
    def share_in_words(self, alarm: Alarm) -> str:
        rule = alarm.share or {}
        part, whole = (_in_words(rule.get(name, {})) for name in ("part", "whole"))
        hours = formats.counted(rule.get("hours", 0), "hour")
        return (
            f"Sum of {rule.get('value')} where {part}, divided by the sum where {whole or 'anything'}, "
            f"in the last {hours}, if that is at least {rule.get('at_least')}."
        )


def rule_of(alarm: Alarm) -> str:
    return f"{alarm.measured} {alarm.get_condition_display()} {formats.exact(alarm.limit)}"


def _in_words(conditions: dict[str, list[object]]) -> str:
    return " and ".join(
        f"{name} is {formats.listed([str(value) for value in values], 'or')}" for name, values in conditions.items()
    )
