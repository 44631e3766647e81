"""The pages of clean-up: rules, a preview of each, and past runs. Source: docs/reference/console.md §2.17."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from config import formats
from config.accounts import scope
from config.console import cells, recent_sign_in
from config.console.admin.columns import column
from config.console.admin.model_admin import ConsoleModelAdmin
from config.jobs import retention, rules, state
from config.jobs.models import RetentionRun, Trigger
from config.jobs.rules import RetentionRule
from config.jobs.tasks import work_on_run
from config.queue import publishing
from config.reading import read_moment

ALL = "all"
_PAGE_SIZE = 30


@admin.register(RetentionRun)
class CleanUpAdmin(ConsoleModelAdmin):
    """Operators see and run every rule. Other people see the rules for which they have permission."""

    noun = "clean-up run"

    may_add = may_change = has_history = False
    site_path: ClassVar[str] = "operations/clean-up/"
    fields = ("rule_title", "started_by", "started", "took", "removed_rows", "of_places", "error")
    readonly_fields = fields

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        seen = {rule.name for rule in _seen_by(request)}
        return bool(seen) if obj is None else obj.rule in seen or scope.is_operator(request)

    def title_of(self, request: HttpRequest, obj: Any) -> str:
        return f"{_title(obj)}, {formats.full(obj.started_at)}"

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
            raise SuspiciousOperation  # trap T2: accept only declared parameters
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
        """Show what a rule would remove now, by service or data set, and its past runs. Nothing is removed."""
        if name == "add":
            raise PermissionDenied  # the path where other lists have the form for a new row
        rule = _rule_or_404(request, name)
        context = {
            **self.page_context(request, rule.title),
            "state": state.of(rule),
            "may_run": scope.is_operator(request),
            **_history(request, [rule]),
        }
        return TemplateResponse(request, "admin/clean_up_rule.html", context)

    def run_page(self, request: HttpRequest, name: str) -> HttpResponse:
        """Show exactly what a run would remove. On POST start it in the background."""
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
            "button": f"Remove {formats.number(number)} now" if number else "Run now",
            "is_destructive": number > 0,
            "explanation": _explanation(states, number),
            "missing": state.missing_processes(),
        }
        return TemplateResponse(request, "admin/clean_up_run.html", context)

    def _start(self, request: HttpRequest, chosen: list[RetentionRule]) -> None:
        running = []
        for rule in chosen:
            row, is_new = retention.start(rule, Trigger.PERSON, request.user)
            if is_new:
                publishing.enqueue(work_on_run, str(row.pk))
            else:
                running.append(rule.title)
        if len(running) < len(chosen):
            messages.success(request, "Clean-up started. The result is shown under Run history.")
        if running:
            messages.warning(request, f"Already running: {', '.join(running)}. Wait until it has finished.")

    rule_title = column("Rule", lambda run: _title(run))
    started_by = column("By", lambda run: by(run))
    removed_rows = column("Removed", lambda run: formats.number(run.removed))
    started = column("Started", lambda run: cells.moment(run.started_at))
    took = column("Took", lambda run: run.took)

    @admin.display(description="Removed from")
    def of_places(self, run: RetentionRun) -> SafeString | str:
        places = run.detail.get("removed", {})
        if not places:
            return "Nothing was removed."
        items = [(label, formats.number(number)) for label, number in sorted(places.items())]
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}: {}</li>", items))


def by(run: RetentionRun) -> str:
    """Return the name of the person or trigger that started a run."""
    if run.trigger == Trigger.PERSON:
        return run.by.get_username() if run.by else "a person"
    return "Command line" if run.trigger == Trigger.COMMAND else "Schedule"


def _seen_by(request: HttpRequest) -> list[RetentionRule]:
    if scope.is_operator(request):
        return rules.registered()
    return [rule for rule in rules.registered() if rule.permission and request.user.has_perm(rule.permission)]


def _rule_or_404(request: HttpRequest, name: str) -> RetentionRule:
    rule = next((one for one in _seen_by(request) if one.name == name), None)
    if rule is None:
        raise Http404
    return rule


def _groups(states: list[state.RuleState]) -> list[dict[str, Any]]:
    """Return the groups that have rules. The technical group is collapsed unless a rule is running or has failed."""
    found = []
    for group in rules.RuleGroup:
        own = [one for one in states if one.rule.group == group]
        needs_attention = any(one.running or (one.last and one.last.error) for one in own)
        if own:
            is_folded = group == rules.RuleGroup.TECHNICAL and not needs_attention
            found.append({"title": group.value, "states": own, "is_folded": is_folded})
    return found


def _explanation(states: list[state.RuleState], number: int) -> list[str]:
    if not number:
        return ["There is nothing to remove now."]
    oldest = min((one.oldest for one in states if one.oldest), default=None)
    since = f", the oldest from {formats.spoken(oldest)}" if oldest else ""
    return [f"This removes {formats.counted(number, 'row')}{since}. This cannot be undone."]


def _history(request: HttpRequest, seen: list[RetentionRule]) -> dict[str, Any]:
    """Return a page of runs, newest first. Scheduled runs that removed nothing are left out unless `?runs=all`."""
    shows_all = request.GET.get("runs") == "all"
    found = RetentionRun.objects.select_related("by").filter(rule__in=[rule.name for rule in seen])
    if not shows_all:
        found = found.exclude(trigger=Trigger.CLOCK, removed=0, error="")
    before = read_moment(request.GET.get("before", ""))
    if before:
        found = found.filter(started_at__lt=before)
    some = list(found.order_by("-started_at")[: _PAGE_SIZE + 1])
    runs = [(run, _title(run), by(run)) for run in some[:_PAGE_SIZE]]
    older = some[_PAGE_SIZE - 1].started_at.isoformat() if len(some) > _PAGE_SIZE else ""
    return {"history": runs, "older": older, "shows_all": shows_all, "is_paged": before is not None}


def _title(run: RetentionRun) -> str:
    rule = rules.named(run.rule)
    return rule.title if rule else run.rule
