"""Received texts: the sandbox's endpoint, the number that selects the service, and `manage.py receive_text`."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client, override_settings

from notifications.models import ReceivedText, Service
from tests.factories import make_service, make_sms_sender
from tests.notifications.calling import make_caller
from tests.service import Service as RunningService

pytestmark = pytest.mark.django_db

PATH = "/providers/sandbox/received-text"
TOKEN = "a-token-of-the-sandbox"
NUMBER = "07700 900851"  # the number at which these services receive


def post(
    body: Any = None, path: str = PATH, *, raw: bytes | None = None, token: str | None = TOKEN, **extra: Any
) -> Any:
    data = json.dumps(body).encode() if raw is None else raw
    extra = {"content_type": "application/json", **extra}
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with override_settings(SANDBOX_TOKEN=TOKEN):
        return Client(raise_request_exception=False).generic("POST", path, data, headers=headers, **extra)


def text(**fields: object) -> dict[str, object]:
    return {"from": "07700 900123", "to": NUMBER, "content": "Yes please", **fields}


def receiving_service(number: str = NUMBER, **fields: Any) -> Service:
    service = make_service(**fields)
    make_sms_sender(service, number)
    return service


def refused(response: Any) -> tuple[int, str]:
    body = response.json()
    assert body["status_code"] == response.status_code
    assert body.keys() == {"status_code", "errors"}
    return response.status_code, body["errors"][0]["error"]


def test_the_number_selects_the_service_in_any_spelling() -> None:
    service, other = receiving_service(), receiving_service("07700 900852")

    answer = post(text(to="+44 7700 900851", content="first 🚲"))

    received = ReceivedText.objects.get()
    assert (answer.status_code, answer.json()) == (200, {})
    assert received.service == service != other
    assert (received.notify_number, received.user_number) == ("447700900851", "447700900123")
    assert received.content == "first 🚲"


def test_the_caller_reads_it_with_exactly_the_keys_of_the_contract() -> None:
    caller = make_caller(receiving_service())
    post(text())

    (record,) = caller.get("/v2/received-text-messages").json()["received_text_messages"]

    assert record.keys() == {"id", "created_at", "service_id", "notify_number", "user_number", "content"}
    assert record["service_id"] == str(caller.service.id)


@pytest.mark.parametrize("sender", ["BANK", "60006", "+999 12", "unknown"])
def test_a_sender_that_is_not_a_number_is_stored_unchanged(sender: str) -> None:
    receiving_service()

    post(text(**{"from": sender}))

    assert ReceivedText.objects.get().user_number == sender


@pytest.mark.parametrize("fields", [{"active": False}, {"permissions": ["email"]}], ids=["archived", "no texts"])
def test_a_text_to_a_service_without_received_texts_is_dropped(fields: dict[str, object]) -> None:
    receiving_service(**fields)

    assert post(text()).status_code == 200
    assert ReceivedText.objects.count() == 0


@pytest.mark.parametrize("number", ["07700 900999", "PIGEON", "60006"])
def test_a_text_to_an_unknown_number_is_dropped(number: str) -> None:
    make_sms_sender(receiving_service(), "PIGEON", is_default=False)

    assert post(text(to=number)).status_code == 200
    assert ReceivedText.objects.count() == 0


def test_a_service_cannot_get_texts_by_adding_another_services_number() -> None:
    first, second = receiving_service(), receiving_service("+447700900851")

    post(text())

    assert ReceivedText.objects.get().service == first != second


def test_a_removed_number_receives_no_texts() -> None:
    service = receiving_service()
    service.sms_senders.update(archived_at=service.created_at)

    post(text())

    assert ReceivedText.objects.count() == 0


@pytest.mark.parametrize("name", ["nobody", "smtp-1", "sandbox-2"])
def test_an_unknown_provider_and_one_without_received_texts_are_404(name: str) -> None:
    with override_settings(PROVIDERS=["sandbox", "smtp-1=smtp://127.0.0.1:2525"]):
        assert refused(post(text(), f"/providers/{name}/received-text")) == (404, "NotFound")


def test_the_sandbox_receives_texts_only_as_a_provider() -> None:
    with override_settings(PROVIDERS=["smtp-1=smtp://127.0.0.1:2525"], SANDBOX_INBOX=True):
        assert refused(post(text())) == (404, "NotFound")


def test_no_credentials_are_401_and_wrong_ones_403_also_on_this_machine() -> None:
    receiving_service()
    here = {"SERVER_NAME": "127.0.0.1"}

    stranger = post(text(), token=None)
    assert refused(stranger) == (401, "AuthError")
    assert stranger.headers["WWW-Authenticate"] == "Bearer"
    assert refused(post(text(), token="wrong", **here)) == (403, "AuthError")
    assert refused(post(text(), token=None, **here, HTTP_X_FORWARDED_FOR="127.0.0.1")) == (401, "AuthError")
    assert ReceivedText.objects.count() == 0
    assert post(text(), token=None, **here).status_code == 200
    assert ReceivedText.objects.count() == 1


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"[", b"[]", b"null", b"{}", b'{"from": "1", "to": "2"}', b'{"from": 1, "to": "2", "content": "x"}'),
        *(b'{"from": "", "to": "2", "content": "x"}', b'{"from": "1", "to": "2", "content": "\\u0000"}'),
        json.dumps(text(to="9" * 41)).encode(),
    ],
)
def test_an_invalid_form_is_400_and_nothing_is_stored(raw: bytes) -> None:
    receiving_service()

    assert refused(post(raw=raw)) == (400, "BadRequestError")
    assert ReceivedText.objects.count() == 0


def test_a_form_post_from_another_site_is_rejected() -> None:
    assert refused(post(text(), content_type="text/plain", token=None, SERVER_NAME="127.0.0.1"))[0] == 400


def test_a_body_over_the_limit_is_too_large() -> None:
    assert refused(post(text(content="x" * 70_000))) == (413, "PayloadTooLarge")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_only_post_is_allowed(method: str) -> None:
    response = Client().generic(method, PATH)

    assert refused(response) == (405, "MethodNotAllowed")
    assert response.headers["Allow"] == "POST"


class TestCommand:
    """`manage.py receive_text` beside a running service."""

    @pytest.fixture
    def known(self, service: RunningService) -> dict[str, Any]:
        document = {
            "name": f"Library {uuid.uuid4().hex[:8]}",
            "sms_senders": [{"sender": "07700 900853", "default": True}],
            "api_keys": [{"name": "k", "type": "live"}],
        }
        done = service.manage("provision", "-", input=json.dumps({"services": [document]}))
        return dict(json.loads(done.stdout)["services"][0])

    @staticmethod
    def receive(service: RunningService, *texts: object) -> Any:
        return service.manage("receive_text", "-", input=json.dumps({"texts": texts}))

    @staticmethod
    def kept(service: RunningService, identifier: str) -> list[list[str]]:
        code = (
            "import json; from notifications.models import ReceivedText as R; print(json.dumps([[t.user_number, "
            f"t.notify_number, t.content] for t in R.objects.filter(service='{identifier}').order_by('created_at')]))"
        )
        return list(json.loads(service.manage("shell", "-v", "0", "-c", code).stdout))

    def test_texts_are_received_in_order_or_not_at_all(self, service: RunningService, known: dict[str, Any]) -> None:
        own = {"service": known["id"], "from": "+447700900456"}
        faulty = self.receive(
            service, {**own, "content": "lost"}, {**own, "colour": "red"}, {**own, "service": str(uuid.uuid4())}, 5
        )
        good = self.receive(service, {**own, "content": "first"}, {**own, "content": "second", "to": "60006"})

        assert (faulty.returncode, faulty.stdout) == (1, "")
        assert faulty.stderr.splitlines() == [
            "texts[1].content: is required",
            "texts[1].colour: is not a known key",
            "texts[2].service: is not the id of a service",
            "texts[2].content: is required",
            "texts[3]: must be an object",
        ]
        assert (good.returncode, good.stdout) == (0, "received: 2\n")
        assert self.kept(service, known["id"]) == [
            ["447700900456", "447700900853", "first"],
            ["447700900456", "60006", "second"],
        ]

    def test_a_service_without_received_texts_is_named(self, service: RunningService, known: dict[str, Any]) -> None:
        silent = {"name": f"Silent {uuid.uuid4().hex[:8]}", "permissions": ["email"]}
        done = service.manage("provision", "-", input=json.dumps({"services": [silent]}))
        identifier = json.loads(done.stdout)["services"][0]["id"]

        refusal = self.receive(service, {"service": identifier, "from": "1", "content": "x"})

        assert refusal.returncode == 1
        assert refusal.stderr.startswith("texts[0].service: cannot receive texts")

    def test_a_missing_file_and_invalid_json_are_one_line(self, service: RunningService) -> None:
        assert service.manage("receive_text", "nowhere.json").returncode == 1
        assert service.manage("receive_text", "-", input="[").returncode == 1
