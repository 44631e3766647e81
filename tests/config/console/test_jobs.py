"""A bulk action on more than 1,000 rows is a background job: each row changes once, even if a worker dies."""

import re
import threading
import uuid
from datetime import timedelta

import pytest
from django.db import connections
from django.db.models.functions import Now
from django.utils import timezone

from config import areas
from config.audit.models import AuditEvent
from config.jobs import bulk, registry, runner
from config.jobs.bulk import BulkJob
from config.jobs.models import FORGOTTEN_AFTER, LEASE_SECONDS, BulkJobRun
from config.jobs.registry import Batch
from config.jobs.tasks import look_for_clean_up
from config.queue.app import app
from datasets.models import DataSet
from notifications.models import ApiKey, KeyType, Role, Template
from tests import factories
from tests.cleaning import clean_up
from tests.datasets.making import make_data_set, put_in, some_records
from tests.people import browser_of, colleague, join, make_person

KEYS = "/admin/notifications/apikey/"
TEMPLATES = "/admin/notifications/template/"
DATA_SETS = "/admin/datasets/dataset/"
MANY = 1_001


def many_keys(service, number=MANY):
    keys = [ApiKey(service=service, name=f"key-{n:05}", key_type=KeyType.TEST, last4="abcd") for n in range(number)]
    return ApiKey.objects.bulk_create(keys)


def text_of(answer):
    """Return the text of a page with single spaces."""
    return " ".join(re.sub(r"<[^>]*>", " ", answer.content.decode()).replace("\xa0", " ").split())


def fields_of(answer):
    """Return the fields that the form of a page sends, without its button."""
    form = re.search(r'<form class="sb-card".*?</form>', answer.content.decode(), re.DOTALL)[0]
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
    return {name: [value for other, value in found if other == name] for name, _ in found}


def confirm_all(browser, url, action, pk, **more):
    """Return the page that follows "select all that match" in a list."""
    return browser.post(url, {"action": action, "select_across": "1", "_selected_action": [pk], **more})


def started(browser, url, action, pk, **more):
    """Confirm the page and return the job that starts."""
    sent = {**fields_of(confirm_all(browser, url, action, pk)), **more}
    answer = browser.post(url, sent)
    assert answer.status_code == 302, text_of(answer)
    return BulkJobRun.objects.get(pk=answer["Location"].split("/")[-3]), answer["Location"]


def job_over(keys, person):
    """Store a run directly, because the pages only start jobs for many rows."""
    return BulkJobRun.objects.create(
        kind="revoke-keys", by=person, rows=[str(key.pk) for key in keys], total=len(keys), way_back="/admin/"
    )


def let_lease_expire(run):
    """Let the lease expire, as if its process had died."""
    gone = Now() - timedelta(seconds=LEASE_SECONDS + 1)
    BulkJobRun.objects.filter(pk=run.pk).update(holder="gone", seen_at=gone)


def work_once(run, seconds=None):
    """Work on the run like a worker that has its own row object."""
    run = BulkJobRun.objects.get(pk=run.pk)
    return runner.work(run, registry.named(run.kind), seconds)


@pytest.fixture
def eager(settings):
    """Run published tasks at once, with Celery's own setting."""
    app.conf.task_always_eager = settings.CELERY_TASK_ALWAYS_EAGER = True
    yield
    app.conf.task_always_eager = False


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.mark.fault("T11")
def test_the_page_says_the_exact_number_and_names_the_first(console, service):
    keys = many_keys(service)

    page = confirm_all(console, KEYS, "revoke_chosen", keys[0].pk)

    fields = fields_of(page)
    assert "Revoke 1,001 keys" in text_of(page)
    assert "and 951 more, not listed here." in text_of(page)
    assert "This runs as a background job" in text_of(page)
    assert (fields["select_across"], fields["number"], len(fields["_selected_action"])) == (["1"], ["1001"], 1)


def test_more_than_a_thousand_rows_run_in_the_background_with_a_progress_page(console, service):
    keys = many_keys(service)
    run, url = started(console, KEYS, "revoke_chosen", keys[0].pk, step="revoke")
    before = console.get(url)
    revoked_at_once = ApiKey.objects.exclude(revoked_at=None).count()

    is_more = work_once(run)

    after = console.get(url)
    assert revoked_at_once == 0
    assert "Revoke 1,001 keys" in text_of(before)
    assert "Running 0 of 1,001 done." in text_of(before)
    assert 'data-refresh="2"' in before.content.decode()
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in before.content.decode()
    assert is_more is False
    assert "Done 1,001 keys revoked. Calls with them fail within 2 seconds." in text_of(after)
    assert "refresh=" not in after.content.decode()
    assert set(ApiKey.objects.values_list("revoked_by", flat=True)) == {"mina@example.org"}
    events = AuditEvent.objects.filter(verb="revoked")
    assert {event.actor_label for event in events} == {"mina"}
    assert {event.ip_address for event in events} == {"127.0.0.1"}
    assert {event.service_id for event in events} == {service.pk}
    assert len({event.object_id for event in events}) == events.count() == MANY


def test_a_thousand_rows_are_done_at_once(console, service):
    keys = many_keys(service, 1_000)

    answer = console.post(
        KEYS, {**fields_of(confirm_all(console, KEYS, "revoke_chosen", keys[0].pk)), "step": "revoke"}, follow=True
    )

    assert "1,000 keys revoked." in text_of(answer)
    assert not ApiKey.objects.filter(revoked_at=None).exists()
    assert not BulkJobRun.objects.exists()


@pytest.mark.fault("T11")
def test_if_the_number_of_matching_rows_has_changed_nothing_is_done(console, service):
    keys = many_keys(service)
    sent = fields_of(confirm_all(console, KEYS, "revoke_chosen", keys[0].pk))
    factories.make_api_key(service, name="late")

    answer = console.post(KEYS, {**sent, "step": "revoke"})

    assert "The number of matching rows has changed to 1,002. Nothing was done." in text_of(answer)
    assert fields_of(answer)["number"] == ["1002"]
    assert not ApiKey.objects.exclude(revoked_at=None).exists()
    assert not BulkJobRun.objects.exists()


@pytest.mark.parametrize("number", [[], ["1"], ["x"]], ids=["none", "another", "no number"])
def test_all_matching_rows_need_the_number_that_was_shown(console, service, number):
    key = factories.make_api_key(service)
    factories.make_api_key(service)

    console.post(
        KEYS,
        {
            "action": "revoke_chosen",
            "select_across": "1",
            "_selected_action": key.pk,
            "step": "revoke",
            "number": number,
        },
    )

    assert not ApiKey.objects.exclude(revoked_at=None).exists()


def test_a_filter_of_the_list_applies_to_all_matching_rows(console, service):
    many_keys(service)
    live = factories.make_api_key(service, KeyType.LIVE, name="live")
    filtered = f"{KEYS}?key_type__exact=live"

    page = confirm_all(console, filtered, "revoke_chosen", live.pk)
    console.post(filtered, {**fields_of(page), "step": "revoke"})

    assert "Revoke 1 key" in text_of(page)
    assert list(ApiKey.objects.exclude(revoked_at=None)) == [live]


@pytest.mark.fault("T11")
def test_a_form_sent_twice_starts_one_job(console, service):
    keys = many_keys(service)
    sent = {**fields_of(confirm_all(console, KEYS, "revoke_chosen", keys[0].pk)), "step": "revoke"}

    places = [console.post(KEYS, sent)["Location"] for _ in range(2)]

    assert places[0] == places[1]
    assert BulkJobRun.objects.count() == 1


def test_the_id_of_another_persons_job_and_an_invalid_id_start_nothing(console, service):
    keys = many_keys(service)
    sent = fields_of(confirm_all(console, KEYS, "revoke_chosen", keys[0].pk))
    console.post(KEYS, {**sent, "step": "revoke"})
    jo = colleague(service, Role.MANAGE_API)

    forged = jo.post(KEYS, {**sent, "step": "revoke"})
    broken = jo.post(KEYS, {**sent, "step": "revoke", "job_id": "x"})

    assert (forged.status_code, broken.status_code) == (400, 400)
    assert BulkJobRun.objects.count() == 1


@pytest.mark.fault("T11")
def test_a_killed_job_continues_and_changes_no_row_twice(operator, service):
    run = job_over(many_keys(service, 100), operator)

    assert work_once(run, seconds=0) is True
    half = ApiKey.objects.exclude(revoked_at=None).count()
    let_lease_expire(run)
    assert list(BulkJobRun.objects.left_behind()) == [run]
    while work_once(run, seconds=0):
        let_lease_expire(run)

    run.refresh_from_db()
    assert 0 < half < 100
    assert (run.position, run.changed, run.error) == (100, 100, "")
    assert AuditEvent.objects.filter(verb="revoked").count() == 100


def test_an_unfinished_batch_is_rolled_back(console, service):
    """A process that is killed inside a batch leaves an open transaction, which the database rolls back."""
    keys = many_keys(service)
    run, _ = started(console, KEYS, "revoke_chosen", keys[0].pk, step="revoke")
    revoke = bulk.named("revoke-keys").work

    def taken_over(run, pace):
        for batch in revoke(run, pace):
            BulkJobRun.objects.filter(pk=run.pk).update(holder="another")  # as if the lease had expired
            yield batch

    areas.register("tests", BulkJob(name="lost", verb="Lose", noun="key", done="lost", work=taken_over))
    BulkJobRun.objects.filter(pk=run.pk).update(kind="lost")

    assert work_once(run) is False

    run.refresh_from_db()
    assert (run.position, run.finished_at) == (0, None)
    assert not ApiKey.objects.exclude(revoked_at=None).exists()
    assert not AuditEvent.objects.filter(verb="revoked").exists()


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_workers_change_each_row_once(operator):
    service = factories.make_service()
    keys = many_keys(service, 300)
    run = job_over(keys, operator)

    def work():
        try:
            while work_once(run, seconds=0):
                pass
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    while work_once(run):  # a worker that met the other one has ended; the clock would publish again
        pass

    run.refresh_from_db()
    assert (run.changed, run.finished_at is None) == (300, False)
    assert AuditEvent.objects.filter(verb="revoked").count() == 300


def test_the_clock_finds_jobs_that_the_queue_lost(operator, service, eager, django_capture_on_commit_callbacks):
    run = job_over(many_keys(service, 30), operator)
    lost = Now() - FORGOTTEN_AFTER - timedelta(seconds=1)
    BulkJobRun.objects.filter(pk=run.pk).update(seen_at=lost)

    with django_capture_on_commit_callbacks(execute=True):
        look_for_clean_up()

    run.refresh_from_db()
    assert (run.changed, run.finished_at is None) == (30, False)


def test_a_job_of_a_deactivated_account_stops(console, service, operator):
    keys = many_keys(service)
    run, url = started(console, KEYS, "revoke_chosen", keys[0].pk, step="revoke")
    operator.is_active = False
    operator.save()
    other = another_operator()

    assert work_once(run) is False

    assert "Failed The account that started it may no longer sign in." in text_of(other.get(url))
    assert not ApiKey.objects.exclude(revoked_at=None).exists()


def another_operator():
    person = make_person()
    person.is_superuser = True
    person.save()
    return browser_of(person)


def test_a_failure_ends_the_job_without_quoting_values(console, operator):
    def fail(run, pace):
        raise ValueError("ana@example.org is in the way")
        yield

    areas.register("tests", BulkJob(name="fails", verb="Fail", noun="row", done="failed", work=fail))
    run = BulkJobRun.objects.create(kind="fails", by=operator, rows=["1"], total=1, way_back="/admin/")

    assert work_once(run) is False

    page = text_of(console.get(f"/admin/operations/jobs/{run.pk}/change/"))
    assert re.search(r"Failed ValueError\b.* 0 of 1 were done\.", page)
    assert "ana@example.org" not in page


def test_a_batch_may_change_fewer_rows_than_it_goes_through(operator):
    areas.register(
        "tests",
        BulkJob(
            name="half",
            verb="Halve",
            noun="row",
            done="halved",
            work=lambda run, pace: iter([Batch(passed=2, number=1)]),
        ),
    )
    run = BulkJobRun.objects.create(kind="half", by=operator, rows=["1", "2"], total=2, way_back="/admin/")

    work_once(run)

    run.refresh_from_db()
    assert (run.position, run.changed) == (2, 1)


def test_a_job_is_shown_to_the_person_who_started_it_and_to_operators_only(console, service):
    keys = many_keys(service)
    mina = make_person()
    join(mina, service, Role.MANAGE_API)
    _, url = started(browser_of(mina), KEYS, "revoke_chosen", keys[0].pk, step="revoke")
    beside = colleague(service, Role.MANAGE_API)
    stranger = colleague(factories.make_service(), *Role)

    assert browser_of(mina).get(url).status_code == 200
    assert console.get(url).status_code == 200
    assert beside.get(url).status_code == 404
    assert stranger.get(url).status_code == 404
    assert browser_of(mina).post(url, {"finished_at": "2020-01-01"}).status_code == 403
    assert "Revoke 1,001 keys" in text_of(console.get("/admin/operations/jobs/"))
    assert "No background jobs yet." in text_of(stranger.get("/admin/operations/jobs/"))
    assert browser_of(make_person()).get("/admin/operations/jobs/").status_code == 403


def test_the_former_urls_of_jobs_lead_to_the_present_ones(console):
    one = "6f1f1f1c-0000-4000-8000-000000000000/change/"

    assert console.get("/admin/operations/steps/?p=2")["Location"] == "/admin/operations/jobs/?p=2"
    assert console.get(f"/admin/operations/steps/{one}")["Location"] == f"/admin/operations/jobs/{one}"


def test_all_matching_rows_are_rows_of_the_persons_service_only(service):
    many_keys(service, 3)
    theirs = factories.make_api_key(factories.make_service())
    jo = colleague(service, Role.MANAGE_API)

    page = confirm_all(jo, KEYS, "revoke_chosen", theirs.pk)
    jo.post(KEYS, {**fields_of(page), "_selected_action": [theirs.pk], "step": "revoke"})

    assert "Revoke 3 keys" in text_of(page)
    assert list(ApiKey.objects.filter(revoked_at=None)) == [theirs]


def test_read_only_roles_have_no_bulk_actions(service):
    key = factories.make_api_key(service)
    jo = colleague(service, Role.SEE_ACTIVITY)

    jo.post(
        KEYS,
        {
            "action": "revoke_chosen",
            "select_across": "1",
            "_selected_action": key.pk,
            "step": "revoke",
            "number": "1",
        },
    )

    key.refresh_from_db()
    assert key.revoked_at is None


def test_templates_are_archived_in_the_background_after_their_use_was_shown(console, service):
    rows = [Template(service=service, name=f"Template {n:05}", type="email") for n in range(MANY)]
    Template.objects.bulk_create(rows)

    unseen = console.post(
        TEMPLATES, {**fields_of(confirm_all(console, TEMPLATES, "archive_chosen", rows[0].pk)), "step": "1"}
    )
    run, _ = started(console, TEMPLATES, "archive_chosen", rows[0].pk, step="1", seen="on")
    work_once(run)

    assert "This field is required." in text_of(unseen)
    assert not Template.objects.filter(archived_at=None).exists()
    assert AuditEvent.objects.filter(verb="archived", service_id=service.pk).count() == MANY


def test_retention_of_many_data_sets_is_previewed_as_a_sum_and_saved_in_the_background(console):
    first = make_data_set()
    put_in(first, some_records(3))
    group = first.group
    types = type(first.type).objects.bulk_create(type(first.type)(name=f"t{n:05}") for n in range(MANY - 1))
    DataSet.objects.bulk_create(DataSet(group=group, type=one) for one in types)

    page = confirm_all(console, DATA_SETS, "set_retention", first.pk)
    asked = {**fields_of(page), "max_records": "1"}
    seen = console.post(DATA_SETS, {**asked, "step": "preview"})
    answer = console.post(DATA_SETS, {**fields_of(seen), "max_records": "1", "step": "save"})
    run = BulkJobRun.objects.get()
    work_once(run)

    assert "This deletes 2 records in all 1,001 data sets together." in text_of(seen)
    assert "Save and delete 2 records of 1,001 data sets" in text_of(seen)
    assert answer["Location"] == f"/admin/operations/jobs/{run.pk}/change/"
    assert set(DataSet.objects.values_list("max_records", flat=True)) == {1}
    assert AuditEvent.objects.filter(verb="changed").count() == MANY


def test_finished_jobs_are_removed_after_a_week(console, operator):
    now = timezone.now()
    for days in (None, 6, 8):
        BulkJobRun.objects.create(
            pk=uuid.uuid4(),
            kind="revoke-keys",
            by=operator,
            total=1,
            way_back="/admin/",
            finished_at=None if days is None else now - timedelta(days=days),
        )

    assert clean_up("background-jobs").removed == 1
    assert BulkJobRun.objects.count() == 2
