"""Clean-up: what goes in time, what would go now, and what went. Source: Staff console §2.17."""

from datetime import datetime
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from config import publishing
from config.console import cells, recent_sign_in, scope
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.clean_up import durations, rules, runs, state
from config.console.clean_up.rules import Rule
from config.console.models import RetentionRun, Trigger
from config.console.tasks import work_on_run

ALL = "all"
_PAGE = 30


@admin.register(RetentionRun)
class CleanUpAdmin(ConsoleModelAdmin):
    """Operators see and run every rule; others see the rules their permission is named in."""

    site_address: ClassVar[str] = "operations/clean-up/"
    fields = ("rule_words", "started_by", "started", "took", "removed", "of_places", "error")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        seen = {rule.name for rule in _seen_by(request)}
        return bool(seen) if obj is None else obj.rule in seen or scope.is_operator(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_urls(self) -> list[URLPattern]:
        own = [
            path("<slug:name>/", self.admin_site.admin_view(self.rule_page), name="operations_clean_up_rule"),
            path("<slug:name>/run/", self.admin_site.admin_view(self.run_page), name="operations_clean_up_run"),
        ]
        return [*own, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show every rule and the history of runs."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if set(request.GET) - {"runs", "before"}:
            raise SuspiciousOperation  # trap T2: nothing is filtered by what no filter declares
        seen = [state.of(rule) for rule in _seen_by(request)]
        history = _history(request, [one.rule for one in seen])
        context = {
            **self.page_context(request, "Clean-up"),
            "groups": _groups(seen),
            "is_running": any(one.running for one in seen),
            "may_run": scope.is_operator(request),
            "missing": state.missing_processes(),
            "has_run": RetentionRun.objects.exists(),
            **history,
        }
        return TemplateResponse(request, "admin/clean_up.html", context)

    def rule_page(self, request: HttpRequest, name: str) -> HttpResponse:
        """Show what one rule would remove now, by service or data set, and its runs; nothing is removed."""
        if name == "add":
            raise PermissionDenied  # where every other list has the page that makes a row
        rule = _rule_or_404(request, name)
        context = {
            **self.page_context(request, rule.title),
            "state": state.of(rule),
            "may_run": scope.is_operator(request),
            **_history(request, [rule]),
        }
        return TemplateResponse(request, "admin/clean_up_rule.html", context)

    def run_page(self, request: HttpRequest, name: str) -> HttpResponse:
        """Explain with exact figures what a run removes, and start it in the background."""
        if not scope.is_operator(request):
            raise PermissionDenied
        chosen = rules.registered() if name == ALL else [_rule_or_404(request, name)]
        if not recent_sign_in.is_recent(request):
            return recent_sign_in.ask(request)
        if request.method == "POST":
            self._start(request, chosen)
            return HttpResponseRedirect(self.list_url())
        states = [state.of(rule) for rule in chosen]
        number = sum(one.number for one in states)
        context = {
            **self.page_context(request, "Run all rules" if name == ALL else f"Run “{chosen[0].title}”"),
            "row_url": self.list_url(),
            "states": states,
            "button": f"Remove {cells.number(number)} now" if number else "Run now",
            "is_grave": number > 0,
            "explanation": _explanation(states, number),
            "missing": state.missing_processes(),
        }
        return TemplateResponse(request, "admin/clean_up_run.html", context)

    def _start(self, request: HttpRequest, chosen: list[Rule]) -> None:
        going = []
        for rule in chosen:
            row, is_new = runs.start(rule, Trigger.PERSON, request.user)
            if is_new:
                publishing.enqueue(work_on_run, str(row.pk))
            else:
                going.append(rule.title)
        if len(going) < len(chosen):
            messages.success(request, "Clean-up started. The result is shown under Run history.")
        if going:
            messages.warning(request, f"Running already: {', '.join(going)}.")

    # One run

    @admin.display(description="Rule")
    def rule_words(self, run: RetentionRun) -> str:
        return _title(run)

    @admin.display(description="By")
    def started_by(self, run: RetentionRun) -> str:
        return by(run)

    @admin.display(description="Started")
    def started(self, run: RetentionRun) -> SafeString | str:
        return cells.moment(run.started_at)

    @admin.display(description="Took")
    def took(self, run: RetentionRun) -> str:
        return durations.took(run)

    @admin.display(description="Where")
    def of_places(self, run: RetentionRun) -> SafeString | str:
        places = run.detail.get("removed", {})
        if not places:
            return "Nothing was removed."
        lines = [(label, cells.number(number)) for label, number in sorted(places.items())]
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}: {}</li>", lines))


def by(run: RetentionRun) -> str:
    """Say who started a run."""
    if run.trigger == Trigger.PERSON:
        return run.by.get_username() if run.by else "a person"
    return "command line" if run.trigger == Trigger.COMMAND else "clock"


def _seen_by(request: HttpRequest) -> list[Rule]:
    if scope.is_operator(request):
        return rules.registered()
    return [rule for rule in rules.registered() if rule.permission and request.user.has_perm(rule.permission)]


def _rule_or_404(request: HttpRequest, name: str) -> Rule:
    rule = next((one for one in _seen_by(request) if one.name == name), None)
    if rule is None:
        raise Http404
    return rule


def _groups(states: list[state.RuleState]) -> list[dict[str, Any]]:
    """Return the groups that have rules; what the program needs for itself is folded while all is well with it."""
    found = []
    for group in rules.Group:
        own = [one for one in states if one.rule.group == group]
        needs_a_look = any(one.running or (one.last and one.last.error) for one in own)
        if own:
            is_folded = group == rules.Group.TECHNICAL and not needs_a_look
            found.append({"title": group.value, "states": own, "is_folded": is_folded})
    return found


def _explanation(states: list[state.RuleState], number: int) -> list[str]:
    if not number:
        return ["There is nothing to remove now."]
    oldest = min((one.oldest for one in states if one.oldest), default=None)
    since = f", the oldest from {cells.spoken(oldest)}" if oldest else ""
    return [f"This removes {cells.counted(number, 'row')}{since}. This cannot be undone."]


def _history(request: HttpRequest, seen: list[Rule]) -> dict[str, Any]:
    """Return a page of runs, newest first, by key: those that did something, unless all are asked for."""
    shows_all = request.GET.get("runs") == "all"
    found = RetentionRun.objects.select_related("by").filter(rule__in=[rule.name for rule in seen])
    if not shows_all:
        found = found.exclude(trigger=Trigger.CLOCK, removed=0, error="")
    before = _moment(request.GET.get("before", ""))
    if before:
        found = found.filter(started_at__lt=before)
    some = list(found.order_by("-started_at")[: _PAGE + 1])
    lines = [
        {"run": run, "title": _title(run), "by": by(run), "took": durations.took(run), "url": _run_url(run)}
        for run in some[:_PAGE]
    ]
    older = some[_PAGE - 1].started_at.isoformat() if len(some) > _PAGE else ""
    return {"history": lines, "older": older, "shows_all": shows_all, "is_paged": before is not None}


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text.replace(" ", "+"))
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def _title(run: RetentionRun) -> str:
    rule = rules.named(run.rule)
    return rule.title if rule else run.rule


def _run_url(run: RetentionRun) -> str:
    return reverse("admin:operations_retentionrun_change", args=[run.pk])
