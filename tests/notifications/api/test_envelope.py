"""The error body of /v2: every row of the contract's error table, and every status that it names."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client, override_settings

from notifications.models import DailyCounter, KeyType, Notification, RateSlot
from tests.factories import make_sms_sender, make_team_member
from tests.notifications.attachments import samples
from tests.notifications.attachments.sending import file_caller, file_of, send
from tests.notifications.calling import NUMBER, email_template, make_caller, messages, sms_template

SOME_ID = "6e4abd5a-7a72-4230-8ebb-8e04456198c9"  # the same in every process, because ids of tests contain it

pytestmark = pytest.mark.django_db

LONGEST = 16 * 1024 * 1024


def check_envelope(response: Any, status: int, *entries: tuple[str, str]) -> None:
    body = response.json()
    assert response.status_code == status
    assert body.keys() == {"status_code", "errors"}
    assert body["status_code"] == status
    assert [(entry["error"], entry["message"]) for entry in body["errors"]] == list(entries)
    assert all(entry.keys() == {"error", "message"} for entry in body["errors"])
    assert re.fullmatch(r'<http://127\.0\.0\.1:8000/docs/#errors-[a-z0-9-]+>; rel="help"', response.headers["Link"])
    assert response.content == json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    assert ("Allow" in response.headers) == (status == 405)
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["X-Request-Id"]


# The contract's table, row by row.


def test_row_team_only_key() -> None:
    caller = make_caller(key_type=KeyType.TEAM)

    response = caller.send_sms(sms_template(caller))

    check_envelope(response, 400, ("BadRequestError", "Can't send to this recipient using a team-only API key"))


def test_row_service_in_trial() -> None:
    caller = make_caller(live=False)

    response = caller.send_email(email_template(caller))

    message = "Can't send to this recipient when service is in trial mode - see http://127.0.0.1:8000/docs/#trial-mode"
    check_envelope(response, 400, ("BadRequestError", message))
    assert "#errors-trial-mode" in response.headers["Link"]


def test_row_international_numbers_are_off() -> None:
    caller = make_caller(permissions=["sms"])

    response = caller.send_sms(sms_template(caller), phone_number="+61491570006")

    check_envelope(response, 400, ("BadRequestError", "Cannot send to international mobile numbers"))


def test_row_sender_does_not_exist() -> None:
    caller, stranger = make_caller(), make_caller()
    foreign = make_sms_sender(stranger.service, "ELSEWHERE", is_default=False)

    response = caller.send_sms(sms_template(caller), sms_sender_id=str(foreign.id))

    message = f"sms_sender_id {foreign.id} does not exist in database for service id {caller.service.id}"
    check_envelope(response, 400, ("BadRequestError", message))


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("074123658741", "Too many digits"),
        ("0741236587", "Not enough digits"),
        ("08001234567", "Not a UK mobile number"),
        ("0770x900123", "Must not contain letters or symbols"),
        ("+9991234567", "Not a valid country prefix"),
    ],
)
def test_rows_of_the_five_errors_of_a_number(number: str, words: str) -> None:
    caller = make_caller()

    response = caller.send_sms(sms_template(caller), phone_number=number)

    check_envelope(response, 400, ("ValidationError", f"phone_number {words}"))


def test_rows_of_missing_arguments_and_wrong_types() -> None:
    response = make_caller().post("/v2/notifications/email", {"email_address": 5, "personalisation": []})

    check_envelope(
        response,
        400,
        ("ValidationError", "email_address 5 is not of type string"),
        ("ValidationError", "personalisation [] is not of type object"),
        ("ValidationError", "template_id is a required property"),
    )


def test_row_clock_and_row_unknown_key() -> None:
    caller = make_caller()

    late = caller.get("/v2/templates", Authorization=caller.authorization(iat_offset=-31))
    unknown = caller.get("/v2/templates", Authorization=caller.authorization(signature="AAAA"))

    check_envelope(late, 403, ("AuthError", "Error: Your system clock must be accurate to within 30 seconds"))
    check_envelope(unknown, 403, ("AuthError", "Invalid token: API key not found"))


@pytest.mark.parametrize("key_type", list(KeyType))
def test_row_rate_limit(key_type: KeyType) -> None:
    caller = make_caller(key_type=key_type, rate_limit_per_minute=1)
    make_team_member(caller.service, phone_number=NUMBER)
    template = sms_template(caller)
    assert caller.send_sms(template).status_code == 201

    response = caller.send_sms(template)

    message = f"Exceeded rate limit for key type {key_type.value.upper()} of 1 requests per 60 seconds"
    check_envelope(response, 429, ("RateLimitError", message))
    wait = response.headers["Retry-After"]
    assert 1 <= int(wait) <= 60
    assert response.headers["RateLimit-Policy"] == f'"{key_type.value}";q=1;w=60'
    assert response.headers["RateLimit"] == f'"{key_type.value}";r=0;t={wait}'


def test_counted_answers_state_the_remaining_requests() -> None:
    caller = make_caller(rate_limit_per_minute=5)
    template = sms_template(caller)

    sent, refused = caller.send_sms(template), caller.post("/v2/notifications/email", {})

    assert [answer.headers["RateLimit"] for answer in (sent, refused)] == ['"live";r=4', '"live";r=3']
    assert sent.headers["RateLimit-Policy"] == '"live";q=5;w=60'
    assert "RateLimit" not in caller.get("/v2/templates").headers


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize("kind", ["sms", "email", "international_sms"])
def test_row_daily_limit(kind: str) -> None:
    caller = make_caller(**{f"daily_limit_{kind}": 1})
    number = "+61491570006" if kind == "international_sms" else NUMBER
    email, text = email_template(caller), sms_template(caller)

    def send() -> Any:
        return caller.send_email(email) if kind == "email" else caller.send_sms(text, phone_number=number)

    assert send().status_code == 201
    response = send()

    check_envelope(response, 429, ("TooManyRequestsError", f"Exceeded send limits ({kind}: 1) for today"))
    assert 1 <= int(response.headers["Retry-After"]) <= 24 * 60 * 60


def test_row_virus_scan() -> None:
    caller = file_caller()

    response = send(caller, file_of(samples.EICAR, filename="letter.txt"))

    check_envelope(response, 400, ("BadRequestError", "File did not pass the virus scan"))


def drop_table(name: str) -> None:
    with connection.cursor() as cursor:
        cascade = "" if connection.vendor == "sqlite" else " CASCADE"
        cursor.execute(f"DROP TABLE {name}{cascade}")


@pytest.mark.fault("H8")
def test_row_unexpected_error(caplog: pytest.LogCaptureFixture) -> None:
    caller = make_caller()
    template = sms_template(caller)
    drop_table("notifications_dailycounter")

    response = caller.send_sms(template)

    check_envelope(response, 500, ("Exception", "Internal server error"))
    assert "dailycounter" not in response.content.decode()


# Further errors of the contract.


@pytest.mark.parametrize(
    "path", ["/v2", "/v2/", "/v2/lighthouses", "/v2/notifications/letter/x", "/v2/template", "/v2/x/y"]
)
@pytest.mark.parametrize("has_token", [True, False])
def test_an_unknown_path_is_404_with_or_without_a_token(path: str, has_token: bool) -> None:
    response = make_caller().get(path) if has_token else Client().get(path)

    check_envelope(response, 404, ("NotFound", "The requested URL was not found on the server"))


@pytest.mark.parametrize("path", ["letter", "fax", SOME_ID, f"{SOME_ID}/pdf"])
def test_posting_to_another_channel_is_404(path: str) -> None:
    response = Client().post(f"/v2/notifications/{path}", b"{}", content_type="application/json")

    check_envelope(response, 404, ("NotFound", "The requested URL was not found on the server"))


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/v2/notifications", {"GET", "HEAD"}),
        ("DELETE", f"/v2/notifications/{SOME_ID}", {"GET", "HEAD", "PATCH"}),
        ("GET", f"/v2/notifications/{SOME_ID}/cancel", {"POST"}),
        ("GET", "/v2/notifications/sms", {"POST"}),
        ("PUT", "/v2/notifications/email/", {"POST"}),
        ("OPTIONS", "/v2/notifications/email", {"POST"}),
        ("PUT", "/v2/templates", {"GET", "HEAD", "POST"}),
        ("PATCH", f"/v2/template/{SOME_ID}", {"GET", "HEAD"}),
        ("GET", f"/v2/template/{SOME_ID}/preview", {"POST"}),
        ("POST", f"/v2/template/{SOME_ID}/version/1", {"GET", "HEAD"}),
        ("POST", "/v2/received-text-messages", {"GET", "HEAD"}),
        ("BREW", "/v2/templates", {"GET", "HEAD", "POST"}),
    ],
)
def test_a_wrong_method_is_405_before_the_token_is_checked(method: str, path: str, allowed: set[str]) -> None:
    response = Client().generic(method, path)

    check_envelope(response, 405, ("MethodNotAllowed", "The method is not allowed for the requested URL"))
    assert set(response.headers["Allow"].split(", ")) == allowed


@contextmanager
def locked_database() -> Iterator[None]:
    """Lock the rows that every write needs from another connection, so that the request times out."""
    is_sqlite = connection.vendor == "sqlite"
    impatience, patience = (
        ("PRAGMA busy_timeout = 50", "PRAGMA busy_timeout = 5000")
        if is_sqlite
        else ("SET lock_timeout = '50ms'", "SET lock_timeout = '2s'")
    )
    other = connection.copy()
    with connection.cursor() as ours, other.cursor() as theirs:
        ours.execute(impatience)
        theirs.execute("BEGIN IMMEDIATE" if is_sqlite else "BEGIN")
        if not is_sqlite:
            theirs.execute("LOCK TABLE notifications_notification IN ACCESS EXCLUSIVE MODE")
        yield
        theirs.execute("ROLLBACK")
        ours.execute(patience)
    other.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.fault("A8", "A9")
def test_an_unavailable_database_is_503_and_the_next_request_succeeds() -> None:
    caller = make_caller()
    template = sms_template(caller)
    assert caller.send_sms(template).status_code == 201

    with locked_database():
        response = caller.send_sms(template)

    check_envelope(response, 503, ("Exception", "Service unavailable"))
    assert int(response.headers["Retry-After"]) > 0
    assert caller.send_sms(template).status_code == 201
    assert Notification.objects.count() == DailyCounter.objects.get().count == 2


def test_an_unknown_id_has_the_error_no_result_found() -> None:
    response = make_caller().get(f"/v2/notifications/{uuid4()}")

    check_envelope(response, 404, ("NoResultFound", "No result found"))


@pytest.mark.parametrize("path", ["notifications", "templates", "received-text-messages", "unsubscribe-requests"])
def test_more_than_1000_parameters_are_rejected(path: str) -> None:
    response = make_caller().get(f"/v2/{path}?{'a=1&' * 1001}")

    check_envelope(response, 400, ("BadRequestError", "The request could not be understood"))


@pytest.mark.parametrize("path", ["/v2/notifications/sms", "/v2/notifications/email"])
class TestBodies:
    """Steps 5 to 7: content type, coding, length, size, JSON."""

    @pytest.mark.parametrize(
        "content_type",
        ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "text/json", "json"],
    )
    def test_another_content_type_is_415(self, path: str, content_type: str) -> None:
        response = make_caller().post(path, raw=b"[", **{"Content-Type": content_type})

        check_envelope(response, 415, ("UnsupportedMediaType", "Content-Type must be application/json"))

    @pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "identity, gzip"])
    def test_a_content_coding_is_415(self, path: str, coding: str) -> None:
        response = make_caller().post(path, {}, Content_Encoding=coding)

        check_envelope(response, 415, ("UnsupportedMediaType", "Content-Encoding is not supported"))

    def test_identity_is_not_a_coding(self, path: str) -> None:
        response = make_caller().post(path, {}, Content_Encoding="identity")

        assert messages(response)[-1] == "template_id is a required property"

    def test_a_chunked_body_is_411(self, path: str) -> None:
        response = make_caller().post(path, {}, Transfer_Encoding="chunked")

        check_envelope(response, 411, ("LengthRequired", "A Content-Length header is required"))

    def test_a_body_over_the_limit_is_413(self, path: str) -> None:
        with override_settings(REQUEST_MAX_BYTES=20):
            response = make_caller().post(path, raw=b'{"personalisation": {}}')

        check_envelope(response, 413, ("PayloadTooLarge", "The request body is larger than 20 bytes"))

    def test_the_limit_is_sixteen_mebibytes_and_a_large_body_is_checked(self, path: str) -> None:
        padding = " " * (LONGEST - 2)

        assert make_caller().post(path, raw=f"{{{padding}}}".encode()).status_code == 400
        assert make_caller().post(path, raw=f"{{{padding} }}".encode()).status_code == 413

    @pytest.mark.parametrize(
        "raw",
        [
            *(b"", b" ", b"{", b"{'a': 1}", b"{} {}", b'{"a": NaN}', b'{"a": Infinity}', b'{"a": 1e999}', b"[1,]"),
            *(b'{"a": "\\u0000"}', b'{"\\u0000": 1}', b'{"a": "\\ud800"}', b'{"a": "\xff"}', b"\xef\xbb\xbf{}"),
            *(json.dumps({}).encode("utf-16"), b"[" * 100_000, b'{"a": ' + b"7" * 5000 + b"}"),
        ],
    )
    def test_invalid_json_is_400(self, path: str, raw: bytes) -> None:
        response = make_caller().post(path, raw=raw)

        check_envelope(response, 400, ("BadRequestError", "Invalid JSON supplied in POST data"))

    def test_the_charset_does_not_change_the_decoder(self, path: str) -> None:
        response = make_caller().post(path, raw=b"{}", **{"Content-Type": "application/json; charset=utf-16"})

        assert messages(response)[-1] == "template_id is a required property"


@pytest.mark.fault("E3")
def test_the_last_of_two_equal_names_is_checked_and_used() -> None:
    caller = make_caller()
    template = sms_template(caller)
    raw = f'{{"phone_number": "x", "template_id": "{template.id}", "phone_number": "{NUMBER}"}}'

    assert caller.post("/v2/notifications/sms", raw=raw.encode()).status_code == 201


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "image/png"])
def test_the_answer_is_always_json(accept: str) -> None:
    response = make_caller().get("/v2/templates?format=xml", Accept=accept)

    assert response.headers["Content-Type"] == "application/json"


def test_one_slash_at_the_end_and_any_number_at_the_start_are_ignored() -> None:
    caller = make_caller()
    template = sms_template(caller)

    assert caller.get("/v2/notifications/").status_code == 200
    body = {"phone_number": NUMBER, "template_id": str(template.id)}
    assert caller.post("/v2/notifications/sms/", body).status_code == 201
    folded = caller.client.get("/", PATH_INFO="//v2/templates", headers={"Authorization": caller.authorization()})
    assert folded.status_code == 200


def test_plain_http_is_rejected_in_production() -> None:
    with override_settings(SECURE_SSL_REDIRECT=True):
        response = make_caller().get("/v2/templates")

    check_envelope(response, 403, ("AuthError", "Error: use https"))


def test_an_unknown_host_gets_the_error_body() -> None:
    response = Client(raise_request_exception=False).get("/v2/templates", headers={"Host": "elsewhere.example"})

    assert response.json()["status_code"] == response.status_code == 400


def test_messages_are_accepted_if_the_rate_cannot_be_counted() -> None:
    caller = make_caller()
    template = sms_template(caller)
    drop_table(RateSlot._meta.db_table)

    with override_settings(REDIS_URL=""):
        response = caller.send_sms(template)

    assert response.status_code == 201
    assert "RateLimit" not in response.headers
    assert DailyCounter.objects.get(service=caller.service).count == 1
