"""The page of clean-up: previews, past runs, and a button to start a run.

Source: docs/reference/console.md §2.17.
"""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.accounts.saved_search import SavedSearch
from config.jobs import retention, rules
from config.jobs.models import RetentionRun, Trigger
from config.jobs.tasks import look_for_clean_up, work_on_run
from config.queue import presence
from config.queue.app import app
from notifications.models import Status
from tests.factories import make_notification, make_service, make_template

pytestmark = pytest.mark.django_db

PAGE = "/admin/operations/clean-up/"


def old_search(operator: User, days: float = 8) -> SavedSearch:
    search = SavedSearch(user=operator, kind="messages", created_at=timezone.now() - timedelta(days=days))
    search.set_term("ana@example.org")
    search.save()
    return search


def text_of(page: bytes) -> str:
    """Return the text of a page without tags and with single spaces."""
    return " ".join(re.sub(r"<[^>]*>", " ", page.decode()).replace("\xa0", " ").split())


@pytest.fixture
def sent(settings: Any) -> Iterator[list[str]]:
    """Run published tasks at once, with Celery's own setting."""
    app.conf.task_always_eager = settings.CELERY_TASK_ALWAYS_EAGER = True
    yield []
    app.conf.task_always_eager = False


def test_before_the_first_run_the_page_shows_its_time(console: Client) -> None:
    page = text_of(console.get(PAGE).content)

    assert "Clean-up has not run yet. The next run is at 03:00 UTC." in page
    assert "No worker has been running for 30 seconds." in page
    assert "Scheduled jobs do not start. Start it with manage.py clock ." in page


def test_with_worker_and_clock_the_page_has_no_warning(console: Client) -> None:
    presence.note("worker", "here")
    presence.note("clock", "here")

    assert "has been seen" not in text_of(console.get(PAGE).content)


def test_each_rule_shows_its_retention_and_due_rows_and_removes_nothing(console: Client, operator: User) -> None:
    search = old_search(operator)

    page = text_of(console.get(PAGE).content)
    preview = text_of(console.get(f"{PAGE}searches/").content)

    assert all(rule.title in page and rule.keeps() in page for rule in rules.registered())
    assert "Saved searches Kept 7 days 1 oldest" in page
    assert "Would remove now: 1" in preview
    assert SavedSearch.objects.filter(pk=search.pk).exists()


def test_rules_are_grouped_and_technical_ones_are_collapsed_without_errors(console: Client) -> None:
    def shown() -> tuple[list[str], list[str]]:
        text = console.get(PAGE).content.decode()
        open_ones = re.findall(r'<h2 class="sb-heading">(.*?)</h2>', text)
        return open_ones, re.findall(r'<summary class="sb-heading">(.*?) \(', text)

    assert shown() == (["Messages and files", "Data sets", "Accounts and audit", "Run history"], ["Technical data"])

    rule = rules.named("searches")
    assert rule
    RetentionRun.objects.filter(pk=retention.start(rule, Trigger.CLOCK)[0].pk).update(
        finished_at=timezone.now(), error="away"
    )
    assert shown()[1] == []


def test_each_table_of_a_run_of_all_rules_has_its_own_name(console: Client, operator: User) -> None:
    old_search(operator)
    template = make_template(make_service())
    make_notification(template, status=Status.DELIVERED, created_at=timezone.now() - timedelta(days=30))

    text = console.get(f"{PAGE}all/run/").content.decode()

    assert re.findall(r'role="region" aria-label="(.*?)"', text) == ["Messages", "Saved searches"]


def test_messages_are_previewed_by_service(console: Client) -> None:
    pay, post = make_service(name="Pay a bill"), make_service(name="Post")
    for service, number in ((pay, 2), (post, 1)):
        template = make_template(service)
        for _ in range(number):
            make_notification(template, created_at=timezone.now() - timedelta(days=9), status=Status.DELIVERED)

    page = text_of(console.get(f"{PAGE}old-messages/").content)

    assert "Would remove now: 3" in page
    assert re.search(r"Pay a bill 2 \d.*Post 1 \d", page)


def test_a_run_is_explained_started_in_the_background_and_reported(
    console: Client, operator: User, sent: list[str], django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    old_search(operator)

    asked = text_of(console.get(f"{PAGE}searches/run/").content)
    with django_capture_on_commit_callbacks(execute=True):
        done = console.post(f"{PAGE}searches/run/")

    run = RetentionRun.objects.get()
    assert "This removes 1 row, the oldest from" in asked
    assert "Remove 1 now" in asked
    assert done.headers["Location"] == PAGE
    assert (run.rule, run.trigger, run.by, run.removed, run.error) == ("searches", "person", operator, 1, "")
    assert not SavedSearch.objects.exists()
    history = text_of(console.get(PAGE).content)
    assert re.search(r"mina Saved searches 1 (under )?0.\d seconds Done", history)


def test_a_run_in_progress_is_shown_and_not_started_twice(console: Client) -> None:
    rule = rules.named("searches")
    assert rule
    going, _ = retention.start(rule, Trigger.CLOCK)
    RetentionRun.objects.filter(pk=going.pk).update(removed=1200)

    answer = console.post(f"{PAGE}searches/run/", follow=True)

    page = text_of(answer.content)
    assert RetentionRun.objects.count() == 1
    assert "Already running: Saved searches." in page
    assert "Running 1,200 removed so far" in page
    assert 'data-refresh="2"' in answer.content.decode()
    assert '<noscript><meta http-equiv="refresh"' in answer.content.decode()


def test_one_button_runs_all_rules(console: Client) -> None:
    console.post(f"{PAGE}all/run/")

    assert set(RetentionRun.objects.values_list("rule", flat=True)) == {rule.name for rule in rules.registered()}


def test_a_failed_run_shows_its_error(console: Client) -> None:
    now = timezone.now()
    RetentionRun.objects.create(
        rule="files", trigger="clock", finished_at=now, error="files: the file store is unavailable"
    )

    page = console.get(PAGE).content.decode()

    assert page.count('<span class="sb-error">Failed: files: the file store is unavailable</span>') == 2


def test_the_history_omits_empty_runs_by_default_and_pages_by_key(console: Client) -> None:
    now = timezone.now()
    for number in range(40):
        RetentionRun.objects.create(
            rule="files", trigger="clock", started_at=now - timedelta(hours=number), finished_at=now, removed=number % 2
        )

    some = console.get(PAGE).content.decode()
    first = console.get(f"{PAGE}?runs=all").content.decode()
    older = re.search(r'href="(\?before=[^"]+)"', first)
    assert older
    second = console.get(PAGE + older[1].replace("&amp;", "&")).content.decode()

    assert [page.count(">Done<") for page in (some, first, second)] == [20, 30, 10]
    assert console.get(f"{PAGE}?before=nonsense").status_code == 200


def test_a_run_needs_a_recent_sign_in(console: Client) -> None:
    session = console.session
    session["proved_at"] = 0
    session.save()

    for ask in (console.get, console.post):
        assert ask(f"{PAGE}searches/run/").headers["Location"].startswith(reverse("admin:confirm"))
    assert not RetentionRun.objects.exists()


def test_data_set_managers_see_the_rules_of_records_and_run_none(client: Client) -> None:
    person = User.objects.create_user("ravi", password="a-long-password-1", is_staff=True)
    person.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))
    client.force_login(person)

    page = text_of(client.get(PAGE).content)

    assert "Old records" in page
    assert "Saved searches" not in page
    assert "Run now" not in page
    assert client.get(f"{PAGE}records-by-age/").status_code == 200
    assert client.get(f"{PAGE}searches/").status_code == 404
    assert [client.post(f"{PAGE}{name}/run/").status_code for name in ("records-by-age", "all")] == [403, 403]


def test_other_people_do_not_see_clean_up(client: Client) -> None:
    client.force_login(User.objects.create_user("ola", password="a-long-password-1", is_staff=True))

    assert [client.get(f"{PAGE}{path}").status_code for path in ("", "searches/", "all/run/")] == [403, 404, 403]


def test_an_unknown_rule_does_not_exist(console: Client) -> None:
    assert [console.get(f"{PAGE}{path}").status_code for path in ("nonsense/", "nonsense/run/")] == [404, 404]


def test_the_clock_starts_due_rules_and_wakes_lost_runs(
    operator: User, sent: list[str], django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    old_search(operator)

    with django_capture_on_commit_callbacks(execute=True):
        look_for_clean_up()

    run = RetentionRun.objects.get(rule="searches")
    assert (run.trigger, run.removed, run.finished_at is None) == ("clock", 1, False)
    assert not RetentionRun.objects.filter(finished_at=None).exists()


def test_a_run_of_a_removed_rule_is_closed() -> None:
    run = RetentionRun.objects.create(rule="letters", trigger="clock")

    work_on_run(str(run.pk))

    run.refresh_from_db()
    assert run.error == "This installation lacks the area that runs this job."


def test_a_run_has_the_title_of_its_rule(console: Client) -> None:
    rule = rules.named("searches")
    assert rule
    run, _ = retention.start(rule, Trigger.CLOCK)

    assert "Saved searches, " in text_of(console.get(f"{PAGE}{run.pk}/change/").content)
