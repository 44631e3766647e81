"""GET /v2/unsubscribe-requests: one record for each request, newest first, in pages that lose no row."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from notifications.models import KeyType, UnsubscribeRequest
from tests.factories import make_api_key, make_template, make_unsubscribe_request
from tests.notifications.calling import Caller, make_caller, messages

pytestmark = pytest.mark.django_db

PATH = "/v2/unsubscribe-requests"
BASE = f"http://127.0.0.1:8000{PATH}"
MOMENT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def made(caller: Caller, **fields: Any) -> UnsubscribeRequest:
    template = caller.service.templates.first() or make_template(caller.service)
    return make_unsubscribe_request(template, **fields)


def ids(answer: Any) -> list[str]:
    assert answer.status_code == 200
    return [row["id"] for row in answer.json()["unsubscribe_requests"]]


def test_a_record_has_the_data_to_remove_the_recipient_from_a_list(caller: Caller) -> None:
    row = made(caller, created_at=MOMENT, recipient="Ana@Example.com")

    answer = caller.get(PATH)

    assert answer.json() == {
        "unsubscribe_requests": [
            {
                "id": str(row.id),
                "created_at": "2026-11-21T09:30:00.000000Z",
                "service_id": str(caller.service.id),
                "template_id": str(row.template_id),
                "notification_id": str(row.notification_id),
                "email_address": "Ana@Example.com",
                "done_at": None,
            }
        ],
        "links": {"current": BASE, "next": f"{BASE}?older_than={row.id}"},
    }


def test_a_done_request_is_listed_as_long_as_it_is_kept(caller: Caller) -> None:
    made(caller, done_at=MOMENT, done_by="mina@example.org")

    (record,) = caller.get(PATH).json()["unsubscribe_requests"]

    assert record["done_at"] == "2026-11-21T09:30:00.000000Z"


def test_pages_of_250_lose_no_row_though_many_have_one_moment(caller: Caller) -> None:
    template = make_template(caller.service)
    rows = [
        UnsubscribeRequest(
            service=caller.service,
            template=template,
            notification_id=uuid.uuid4(),
            recipient="ana@example.com",
            email_created_at=MOMENT,
            created_at=MOMENT + timedelta(seconds=number // 300),
        )
        for number in range(501)
    ]
    UnsubscribeRequest.objects.bulk_create(rows)

    pages = [caller.get(PATH)]
    while following := pages[-1].json()["links"].get("next"):
        pages.append(caller.get(following.removeprefix("http://127.0.0.1:8000")))

    assert [len(ids(page)) for page in pages] == [250, 250, 1, 0]
    listed = [identifier for page in pages for identifier in ids(page)]
    assert listed == [str(row.id) for row in sorted(rows, key=lambda row: (row.created_at, row.id), reverse=True)]
    assert {page.json()["links"]["current"] for page in pages} == {BASE}


def test_the_list_is_the_same_for_every_key_type(caller: Caller) -> None:
    row = made(caller)

    callers = [Caller(make_api_key(caller.service, key_type)) for key_type in KeyType]

    assert [ids(one.get(PATH)) for one in callers] == [[str(row.id)]] * len(KeyType)


def test_a_service_sees_its_own_requests_only(caller: Caller) -> None:
    stranger = make_caller()
    row = made(caller)
    made(stranger)

    assert ids(caller.get(PATH)) == [str(row.id)]
    assert ids(stranger.get(PATH, {"older_than": str(row.id)})) == []
    assert ids(caller.get(PATH, {"older_than": str(uuid.uuid4())})) == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("older_than=x", ["older_than is not a valid UUID"]),
        ("status=x", ["Additional properties are not allowed (status was unexpected)"]),
    ],
)
def test_an_invalid_parameter_is_rejected(caller: Caller, query: str, words: list[str]) -> None:
    answer = caller.get(f"{PATH}?{query}")

    assert answer.status_code == 400
    assert messages(answer) == words


def test_it_needs_a_key_and_is_read_only(caller: Caller) -> None:
    assert caller.client.get(PATH).status_code == 401
    assert caller.post(PATH, {}).status_code == 405
    assert caller.get(f"{PATH}/").status_code == 200
