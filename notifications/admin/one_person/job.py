"""The background job that erases a person. Its arguments have the id of the encrypted search, not the recipient."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

from django.db import transaction

from config.accounts.saved_search import SavedSearch
from config.jobs.bulk import BulkJob
from config.jobs.models import BulkJobRun
from config.jobs.pace import Pace
from config.jobs.registry import Batch
from notifications.models import Service
from notifications.one_person import erasing, proof, searching
from notifications.one_person.person import Person

KIND = "erase-person"
_WAIT_SECONDS = 1.0


class _WaitingPace(Pace):
    """The usual pace, with a longer rest while a worker sends something to the person."""

    is_waiting = False

    def rest(self) -> None:
        super().rest()
        if self.is_waiting:
            erasing.wait(_WAIT_SECONDS)


def _work(run: BulkJobRun, pace: Pace) -> Iterator[Batch]:
    erasing.overwrite_deleted_rows()
    return _batches(run, pace, _person(run))


def _batches(run: BulkJobRun, pace: Pace, person: Person) -> Iterator[Batch]:
    numbers = _numbers(run)
    for name, number in erasing.everything(person):
        if isinstance(pace, _WaitingPace):
            pace.is_waiting = name == erasing.WAITS
        numbers[name] += number
        _keep(run, numbers)
        yield Batch(passed=min(number, run.total - run.position), number=number)
    numbers["left_in_longer_words"] = sum(searching.skipped(person).values())
    _keep(run, numbers)
    yield Batch(passed=0, number=0)


def _at_end(run: BulkJobRun) -> None:
    """Delete the searches and record the proof, in the transaction that ends the run."""
    person, numbers = _person(run), _numbers(run)
    for name, number in erasing.saved_searches(person):
        numbers[name] += number
    proof.record_erasure(run.actor, person, numbers, run.arguments.get("case", ""))
    transaction.on_commit(erasing.empty_log_of_sqlite)


def _person(run: BulkJobRun) -> Person:
    search = SavedSearch.objects.get(pk=run.arguments["search"])
    service = Service.objects.get(pk=search.service_id) if search.service_id else None
    return Person.parse(search.term, service, until=run.started_at)


def _numbers(run: BulkJobRun) -> Counter[str]:
    return Counter(run.arguments.get("numbers", {}))


def _keep(run: BulkJobRun, numbers: Counter[str]) -> None:
    """Store the numbers in the transaction of the batch, for a run that another worker continues."""
    run.arguments = {**run.arguments, "numbers": dict(numbers)}
    BulkJobRun.objects.filter(pk=run.pk).update(arguments=run.arguments)


ERASE = BulkJob(
    name=KIND,
    verb="Erase",
    noun="row",
    done="erased",
    work=_work,
    new_pace=partial(_WaitingPace),
    after="The audit has the number of each kind.",
    at_end=_at_end,
)
