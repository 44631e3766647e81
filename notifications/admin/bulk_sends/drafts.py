"""The state of a draft: which of its steps is next, and which job works on it."""

import uuid
from typing import Any

from django.http import HttpRequest

from config.accounts.sessions import account_of
from config.jobs import bulk
from config.jobs.models import BulkJobRun
from config.jobs.tasks import work_on_bulk_job
from config.queue import publishing
from config.web.ip_addresses import client_ip
from notifications.admin.templates import languages
from notifications.models import BulkTable
from notifications.submission import templates
from notifications.submission.templates import TemplateText


class Superseded(Exception):
    """A later run of the job has taken its place, or the draft is gone."""


def own(table: BulkTable, **run: uuid.UUID) -> None:
    """Lock the table for this transaction, if this run is still the one that works on it. Raises Superseded."""
    if not BulkTable.objects.select_for_update().filter(pk=table.pk, **run).exists():
        raise Superseded


def text_of(table: BulkTable) -> TemplateText:
    """Return the text that the draft sends, in its language."""
    return templates.text_of(table.version()).in_language(table.bulk_send.language)


def language_of(text: TemplateText) -> str:
    """Return the language in words, or "" if the template has only one."""
    return languages.named(text.language) if text.translations else ""


def progress(run_id: uuid.UUID | None) -> BulkJobRun | None:
    """Return a job, or None if there is none or it has done its work."""
    run = BulkJobRun.objects.filter(pk=run_id).first() if run_id else None
    return None if run is None or (run.finished_at is not None and not run.error) else run


def start(request: HttpRequest, kind: str, run_id: uuid.UUID, *, is_small: bool, **fields: Any) -> None:
    """Do the work of a small draft at once, or leave it to a worker."""
    run = BulkJobRun(pk=run_id, kind=kind, by=account_of(request), ip_address=client_ip(request), **fields)
    if is_small:
        bulk.do_now(run)
    elif bulk.start(run):
        publishing.enqueue(work_on_bulk_job, str(run.pk))
