"""The page of the audit: days and sentences, filters, and permissions. Source: docs/reference/console.md §2.18."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from config import formats
from config.audit.models import ActorKind, AuditEvent
from config.console import audit_sentences
from config.console.admin import audit_filters
from notifications.models import Role, Service, TeamMember
from tests.datasets.making import make_data_set
from tests.factories import make_service
from tests.people import browser_of

pytestmark = pytest.mark.django_db

PAGE = "/admin/operations/audit/"


def event(verb: str = "revoked", kind: str = "apikey", name: str = "pay-live", **fields: Any) -> AuditEvent:
    held: dict[str, Any] = {"before": {"name": name}} if name else {}
    values = {"actor_kind": ActorKind.USER, "actor_label": "mina", "object_id": "12", **held, **fields}
    made = AuditEvent(verb=verb, object_kind=kind, **values)
    made.save()
    return made


def text_of(page: bytes) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page.decode()).replace("\xa0", " ").split())


def lines(client: Client, query: str = "") -> list[str]:
    """Return the sentences of the page, top to bottom."""
    answer = client.get(PAGE + query)
    assert answer.status_code == 200
    return [line.sentence for _, on_day in answer.context["days"] for line in on_day]


def join(service: Service, *roles: Role) -> Client:
    person = User.objects.create_user("ravi", password="a-long-password-1", is_staff=True)
    TeamMember.objects.create(service=service, user=person, roles=[role.value for role in roles])
    return browser_of(person)


def test_an_event_links_to_its_row_for_people_with_permission(console: Client) -> None:
    service = make_service()
    made = event(kind="service", object_id=str(service.pk), service_id=service.pk)
    gone = event(kind="service", object_id="5a3c6d1e-0000-4000-8000-000000000000")
    odd = event(kind="retentionrule", object_id="old-messages")
    manager = join(service, Role.MANAGE_SERVICE)
    link = f'<a class="sb-link" href="/admin/notifications/service/{service.pk}/change/">{service.pk}</a>'

    assert link in console.get(f"{PAGE}{made.pk}/change/").content.decode()
    assert link in manager.get(f"{PAGE}{made.pk}/change/").content.decode()
    for other in (gone, odd):
        page = console.get(f"{PAGE}{other.pk}/change/").content.decode()
        assert other.object_id in page
        assert f">{other.object_id}</a>" not in page


def test_events_of_the_clock_name_the_system(console: Client) -> None:
    made = event(verb="removed", kind="service", actor_kind=ActorKind.CLOCK, actor_label="clock")

    page = text_of(console.get(f"{PAGE}{made.pk}/change/").content)

    assert "By The system Source System" in page


# Sentences


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "mina revoked the API key “pay-live”"),
        ({"verb": "created", "actor_label": ""}, "user created the API key “pay-live”"),
        (
            {
                "verb": "changed",
                "kind": "service",
                "name": "",
                "before": {"daily_limit_email": 1000},
                "after": {"daily_limit_email": 5000, "name": "Pay"},
                "reason": "election mailing",
            },
            "mina raised the daily limit of emails of the service “Pay” from 1,000 to 5,000: election mailing",
        ),
        (
            {"verb": "changed", "before": {"live": True, "name": "x"}, "after": {"live": False, "name": "x"}},
            "mina changed the live of the API key “x”",
        ),
        (
            {"verb": "changed", "before": {"a": 5, "b": "x"}, "after": {"a": 4, "b": "y"}, "object_id": "12345678-9"},
            "mina changed a and b of the API key 12345678",
        ),
        (
            {"verb": "ran", "kind": "retentionrun", "before": None, "after": {"rule": "files", "removed": 1200}},
            "mina ran the clean-up “Expired files” and removed 1,200 rows",
        ),
        (
            {"verb": "failed", "kind": "retentionrun", "before": None, "after": {"rule": "files", "error": "away"}},
            "mina ran the clean-up “Expired files”, and it failed: away",
        ),
        (
            {"verb": "emptied", "kind": "dataset", "before": {"name": "pay_volumes", "records": 48211}},
            "mina emptied the data set “pay_volumes”: 48,211 records",
        ),
        (
            {"verb": "emptied", "kind": "dataset", "before": {"name": "pay/volumes", "records": 1}},
            "mina emptied the data set “pay/volumes”: 1 record",
        ),
        (
            {"verb": "cleaned_up", "kind": "dataset", "before": None, "object_label": "pay/volumes",
             "after": {"removed": 1}, "actor_kind": ActorKind.CLOCK, "actor_label": "clock"},
            "The system removed 1 record from the data set “pay/volumes” because of its retention",
        ),
        (
            {"verb": "made_live", "kind": "service", "name": "", "object_label": "Pay",
             "before": {"live": False}, "after": {"live": True}, "reason": "tested"},
            "mina made the service “Pay” live: tested",
        ),
        (
            {"verb": "put_back_to_trial", "kind": "service", "before": None, "object_label": "Pay"},
            "mina returned the service “Pay” to trial",
        ),
        (
            {"verb": "found_late", "kind": "dataset", "before": None, "object_label": "pay/volumes",
             "actor_kind": ActorKind.CLOCK, "actor_label": "clock"},
            "The system found that the data set “pay/volumes” is late",
        ),
        (
            {"verb": "provision", "kind": "service", "before": None, "object_label": "Pay",
             "actor_label": "command line"},
            "command line provisioned the service “Pay”",
        ),
        ({"verb": "signed_in", "kind": "user", "name": "mina"}, "mina signed in"),
        (
            {"verb": "refused_sign_in", "kind": "user", "before": None, "object_id": "", "actor_label": "somebody"},
            "Somebody entered a wrong password or code for an account that does not exist",
        ),
    ],
)  # fmt: skip
def test_an_event_reads_as_a_sentence(fields: dict[str, Any], sentence: str) -> None:
    assert audit_sentences.sentence(event(**fields)).replace("\xa0", " ") == sentence


def test_an_event_without_a_name_shows_the_current_name_of_its_row(console: Client) -> None:
    service = make_service(name="Pay a bill")
    event("archived", "service", "", object_id=str(service.pk))
    event("archived", "service", "", object_id="not-an-id")

    assert lines(console) == ["mina archived the service not-an-i", "mina archived the service “Pay a bill”"]


# The page


@pytest.mark.usefixtures("noon")
def test_people_are_shown_by_name_and_email_address_while_they_have_their_user_name(console: Client) -> None:
    mina = User.objects.get(username="mina")
    ravi = User.objects.create_user("ravi", "ravi@example.org", first_name="Ravi Rao")
    event("revoked", actor_id=str(mina.pk))
    event("reset_second_factor", "user", "", object_id=str(ravi.pk), object_label="ravi", actor_id=str(mina.pk))
    event("restored", actor_id=str(ravi.pk), actor_label="ravi")
    event("archived", actor_id=str(ravi.pk))  # when the account had another user name

    assert sorted(lines(console)) == [
        "Ravi Rao (ravi@example.org) restored the API key “pay-live”",
        "mina archived the API key “pay-live”",
        "mina@example.org reset the second factor of “Ravi Rao (ravi@example.org)”",
        "mina@example.org revoked the API key “pay-live”",
    ]


def test_events_are_grouped_by_day_newest_first(console: Client) -> None:
    today = timezone.now()
    for days, name in ((0, "a"), (1, "b"), (1, "c")):
        event(name=name, at=today - timedelta(days=days))

    page = console.get(PAGE)

    assert [len(on_day) for _, on_day in page.context["days"]] == [1, 2]
    assert formats.heading(today) in text_of(page.content)


def test_opening_one_shows_before_and_after_reason_request_and_address(console: Client) -> None:
    mina = User.objects.get(username="mina")
    made = event(
        "changed",
        "service",
        actor_id=str(mina.pk),
        before={"daily_limit_email": 1000},
        after={"daily_limit_email": 5000},
        reason="election mailing",
        request_id="req-1",
        ip_address="192.0.2.7",
    )

    page = text_of(console.get(f"{PAGE}{made.pk}/change/").content)

    by = "mina@example.org, user name mina"
    for shown_text in ("daily limit of emails 1,000 5,000", "election mailing", "req-1", "192.0.2.7", by):
        assert shown_text in page


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ({"name": "Letter", "id": 7}, {"id": 9}, [("id", "7", "9")]),
        ({"name": "a"}, {"name": "b"}, [("name", "a", "b")]),
        (None, {"name": "a", "live": False}, [("name", "–", "a"), ("live", "–", "no")]),
        ({"roles": []}, {"roles": ["see_activity", "manage_api"]}, [("roles", "–", "see activity, manage api")]),
        ({"live": False}, {"name": "Pay", "live": True}, [("live", "no", "yes")]),
        (None, {"keeps": {"days": 1}}, [("keeps", "–", "days: 1")]),
        (None, {"archived_at": None, "note": ""}, []),
        (None, {"created_at": "2025-11-23T21:18:23.143052+00:00"}, [("created at", "–", "23 November 2025 at 9:18pm")]),
    ],
)
def test_before_and_after_contain_only_changed_fields(before, after, shown) -> None:
    assert audit_sentences.differences(event(before=before, after=after)) == shown


def test_an_event_offers_no_history_of_its_own(console: Client) -> None:
    address = f"{PAGE}{event().pk}/"

    assert "/history/" not in console.get(f"{address}change/").content.decode()
    assert console.get(f"{address}history/").status_code == 403


def test_an_empty_list_of_events_says_so(console: Client) -> None:
    assert "No events yet." in text_of(console.get(PAGE).content)


def test_each_filter_shows_the_matching_events(console: Client) -> None:
    service, data_set = make_service(name="Pay"), make_data_set()
    event(name="a", at=datetime(2026, 7, 1, 12, tzinfo=UTC))
    event("emptied", "dataset", name="b", at=datetime(2026, 7, 2, 12, tzinfo=UTC), data_set_id=data_set.pk)
    clock = {"actor_kind": ActorKind.CLOCK, "actor_label": "clock"}
    event("archived", "service", name="c", at=datetime(2026, 7, 3, 12, tzinfo=UTC), service_id=service.pk, **clock)

    def found(query: str) -> str:
        return "".join(re.findall(r"“(\w)”", " ".join(lines(console, query))))

    assert found("") == "cba"
    assert found("?from=2026-07-02") == "cb"
    assert found("?to=2026-07-02") == "ba"
    assert found("?who=clock") == "c"
    assert found(f"?service_id={service.pk}") == "c"
    assert found(f"?data_set_id={data_set.pk}") == "b"
    assert found("?kind=apikey") == "a"
    assert found("?verb=emptied&kind=dataset&who=user") == "b"
    assert found("?verb=emptied&kind=apikey") == ""


NONSENSE = (
    "from=31-31-31",
    "to=9999-12-31",
    "who=x",
    "service_id='",
    "data_set_id=x",
    "kind=%00",
    "verb=x",
    "before=x_y",
    "before=2026-01-01_1",
)


@pytest.mark.parametrize("query", NONSENSE)
def test_invalid_filters_are_ignored(console: Client, query: str) -> None:
    event()

    assert len(lines(console, f"?{query}")) == 1


def test_pages_continue_by_key_without_counting(console: Client, django_assert_max_num_queries: Any) -> None:
    at = timezone.now()
    AuditEvent.objects.bulk_create(
        AuditEvent(at=at, actor_kind="user", actor_label="mina", verb="made", object_kind="x", object_id=str(number))
        for number in range(120)
    )
    seen: list[str] = []
    query = ""
    with django_assert_max_num_queries(150) as asked:
        while True:
            seen += lines(console, query)
            page = console.get(PAGE + query).content.decode()
            older = re.search(r'href="(\?before=[^"]+)">Older', page)
            if not older:
                break
            query = older[1].replace("&amp;", "&")

    assert sorted(seen) == sorted(f"mina made the x {number}" for number in range(120))
    assert not any("COUNT(" in one["sql"] for one in asked.captured_queries)


def test_a_filter_stays_on_the_next_page(console: Client) -> None:
    for number in range(60):
        event(name=f"a{number}")
        event("archived", "service", name=f"b{number}")

    older = re.search(r'href="(\?[^"]*before=[^"]+)">Older', console.get(f"{PAGE}?kind=service").content.decode())

    assert older
    assert lines(console, older[1].replace("&amp;", "&")) == [
        f"mina archived the service “b{n}”" for n in range(9, -1, -1)
    ]


# Permissions


def test_a_manager_of_a_service_reads_its_events_only() -> None:
    mine, other = make_service(name="Mine"), make_service(name="Other")
    seen = event(name="mine", service_id=mine.pk)
    unseen = event(name="other", service_id=other.pk)
    client = join(mine, Role.MANAGE_SERVICE)

    page = client.get(PAGE).content.decode()

    assert lines(client) == ["mina revoked the API key “mine”"]
    assert "Other" not in page
    assert lines(client, f"?service_id={other.pk}") == ["mina revoked the API key “mine”"]
    assert [client.get(f"{PAGE}{one.pk}/change/").status_code for one in (seen, unseen)] == [200, 404]


def test_other_roles_do_not_read_the_events_of_a_service() -> None:
    client = join(make_service(), Role.SEE_RECIPIENTS, Role.MANAGE_API)

    assert client.get(PAGE).status_code == 403
    assert "Audit" not in text_of(client.get("/admin/").content)


def test_owners_read_the_events_of_their_data_sets_and_managers_all(client: Client) -> None:
    mine, other = make_data_set(type="mine"), make_data_set(type="other")
    for data_set in (mine, other):
        event("emptied", "dataset", name=data_set.name, data_set_id=data_set.pk)
    event(name="key")
    person = User.objects.create_user("ravi", password="a-long-password-1", is_staff=True)
    mine.owners.add(person)
    client.force_login(person)
    assert [line for line in lines(client) if "pay_" in line] == lines(client)
    assert len(lines(client)) == 1

    person.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))

    assert len(lines(client)) == 2


def test_nobody_can_add_change_or_delete_events(console: Client) -> None:
    made = event()

    assert console.get(f"{PAGE}add/").status_code == 403
    assert console.post(f"{PAGE}{made.pk}/change/", {"verb": "x"}).status_code == 403
    assert console.post(f"{PAGE}{made.pk}/delete/", {"post": "yes"}).status_code == 403
    made.refresh_from_db()
    assert made.verb == "revoked"


def test_the_filter_lists_only_kinds_of_rows() -> None:
    assert all(audit_sentences.model_of(kind) for kind in audit_filters.KINDS)


def test_the_filter_names_each_action_in_words(console: Client) -> None:
    shown = dict(console.get(PAGE).context["filters"].fields["verb"].choices)

    assert shown["made_live"] == "made … live"
    assert shown["accepted_the_invite_of"] == "accepted the invite"
    assert shown["refused_sign_in"] == "entered a wrong password or code"
    assert shown["ended_sessions"] == "ended the sessions"
    assert shown["ran"] == "ran a clean-up"
    assert not [words for words in shown.values() if "{" in words or "_" in words or words.endswith((" of", " for"))]
