"""The Celery tasks of jobs: start due jobs, and work on one run. Each task may run twice at once."""

from typing import Any  # a Celery task

from celery import shared_task

from config.jobs import registry, retention, runner, schedule
from config.jobs.models import BulkJobRun, JobRun, RetentionRun, Trigger
from config.queue import periodic, publishing


@shared_task
def look_for_clean_up() -> None:
    """Start each retention rule that is due, and wake a worker for each run that the queue has lost; every minute."""
    periodic.expect(schedule.intervals())
    for rule in schedule.due():
        row, is_new = retention.start(rule, Trigger.CLOCK)
        if is_new:
            publishing.enqueue(work_on_run, str(row.pk))
    for run_id in RetentionRun.objects.left_behind().values_list("pk", flat=True):
        publishing.enqueue(work_on_run, str(run_id))
    for run_id in BulkJobRun.objects.left_behind().values_list("pk", flat=True):
        publishing.enqueue(work_on_bulk_job, str(run_id))


# A batch of files may take as long as the file store needs, and a task ends only between two batches.
@shared_task(time_limit=300)
def work_on_run(run_id: str) -> None:
    """Work on a run of a retention rule for the time that its job allows."""
    _work_on(RetentionRun.objects.get(pk=run_id), work_on_run)


@shared_task(time_limit=300)
def work_on_bulk_job(run_id: str) -> None:
    """Work on a bulk job for the time that it allows."""
    _work_on(BulkJobRun.objects.get(pk=run_id), work_on_bulk_job)


def _work_on(run: JobRun, task: Any) -> None:
    """Work on a run for a time, and publish the task again if work is left."""
    job = registry.named(run.job_name)
    if runner.work(run, job, job.task_seconds if job else None):
        publishing.enqueue(task, str(run.pk))
