"""Background jobs: how far each has come, for who started it and for operators. Staff console §1.2 T11."""

from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString

from config.console import cells, scope
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.background import kinds
from config.console.clean_up import state
from config.console.models import BackgroundStep


@admin.register(BackgroundStep)
class BackgroundStepAdmin(ConsoleModelAdmin):
    site_address: ClassVar[str] = "operations/steps/"
    list_display = ("what", "started", "progress", "result")
    list_display_links = ("what",)
    sortable_by = ()
    empty = "No background jobs yet. A change of more than 1 000 rows runs as a background job and is listed here."

    def get_queryset(self, request: HttpRequest) -> QuerySet[BackgroundStep]:
        rows: QuerySet[BackgroundStep] = super().get_queryset(request).defer("rows").select_related("by")
        return rows if scope.is_operator(request) else rows.filter(by=request.user.pk)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Let in whoever has anything to do here; whose steps they see, `get_queryset` says."""
        return scope.has_anything(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show how far a step has come; the page looks again by itself until it is over."""
        step: Any = self._row_or_404(request, object_id)
        if request.method not in {"GET", "HEAD"}:
            raise PermissionDenied
        kind = kinds.named(step.kind)
        context = {
            **self.page_context(request, self.what(step)),
            "step": step,
            "told": kind.told(step) if kind else "",
            "missing": [] if step.finished_at else [name for name in state.missing_processes() if name == "worker"],
        }
        return TemplateResponse(request, "admin/background_step.html", context)

    @admin.display(description="Job")
    def what(self, step: BackgroundStep) -> str:
        kind = kinds.named(step.kind)
        return kind.title(step) if kind else step.kind

    @admin.display(description="Started")
    def started(self, step: BackgroundStep) -> SafeString:
        return cells.two_lines(step.by.get_username() if step.by else "–", cells.moment(step.started_at))

    @admin.display(description="Done")
    def progress(self, step: BackgroundStep) -> str:
        return f"{cells.number(step.position)} of {cells.number(step.total)}"

    @admin.display(description="Result")
    def result(self, step: BackgroundStep) -> SafeString:
        if step.finished_at is None:
            return cells.chip("Running", "accent")
        return cells.chip("Stopped", "bad") if step.error else cells.chip("Done", "good")
