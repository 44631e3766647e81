"""The pages of background jobs and their progress. Source: docs/reference/console.md §1.2 T11."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from config import formats
from config.accounts import scope
from config.console import cells
from config.console.admin.columns import column
from config.console.admin.model_admin import ConsoleModelAdmin
from config.jobs import bulk, state
from config.jobs.models import BulkJobRun


@admin.register(BulkJobRun)
class JobAdmin(ConsoleModelAdmin):
    """Operators see every job. Other people see the jobs that they started."""

    may_add = may_change = False
    site_path: ClassVar[str] = "operations/jobs/"
    page_template = "admin/job.html"
    list_display = ("what", "started", "progress", "result")
    list_display_links = ("what",)
    sortable_by = ()
    empty = "No background jobs yet. A change of more than 1,000 rows runs as a background job and is listed here."

    def get_queryset(self, request: HttpRequest) -> QuerySet[BulkJobRun]:
        rows: QuerySet[BulkJobRun] = super().get_queryset(request).defer("rows").select_related("by")
        return rows if scope.is_operator(request) else rows.filter(by=request.user.pk)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return scope.has_anything(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False

    def title_of(self, request: HttpRequest, obj: Any) -> str:
        return self.what(obj)

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        bulk_job = bulk.named(obj.kind)
        return {
            "job": obj,
            "result": bulk_job.result(obj) if bulk_job else "",
            "link": bulk_job.link(obj) if bulk_job and bulk_job.link and obj.finished_at and not obj.error else None,
            "missing": [] if obj.finished_at else [name for name in state.missing_processes() if name == "worker"],
        }

    @admin.display(description="Job")
    def what(self, job: BulkJobRun) -> str:
        bulk_job = bulk.named(job.kind)
        return bulk_job.title(job) if bulk_job else job.kind

    started = column("Started", lambda job: cells.two_lines(str(job.by or "–"), cells.moment(job.started_at)))
    progress = column("Progress", lambda job: f"{formats.number(job.position)} of {formats.number(job.total)}")

    @admin.display(description="Result")
    def result(self, job: BulkJobRun) -> SafeString:
        if job.finished_at is None:
            return cells.chip("Running", "accent")
        return cells.chip("Failed", "bad") if job.error else cells.chip("Done", "good")
