"""Play vectors of the rendering contract over HTTP against a running service, as callers and staff use it.

What only the console shows is asked of it: counts while typing, characters of no alphabet, the bubble, texts with their
placeholders unfilled, and a service's contact. `test_vectors` judges every case without a server, so one vector of each
kind, form and result is enough here, and every vector of the API's own kind.
"""

import html
import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from notifications.rendering import placeholders
from tests.notifications.rendering.console_caller import ConsoleCaller
from tests.notifications.rendering.normal_form import normal_form
from tests.notifications.rendering.vector_caller import Caller, Vector
from tests.servers import Program
from tests.service import Service

VECTORS = Path(__file__).parents[2] / "vectors" / "rendering.jsonl"
PLAYERS = 8  # the number of threads of the web server
SIMULATED = {"447700900000", "447700900111", "447700900222"}  # accepted, and never sent
TOO_LONG = (
    "Your message is too long. Text messages cannot be longer than 918 characters. Your message is {} characters long."
)
TITLE = re.compile(r"<title>([^<]*)</title>")
PREHEADER = re.compile(r"<span[^>]*>([^<]*)…</span>")
UNFILLED = re.compile(r'<pre class="nf-unfilled">(.*?)</pre>', re.DOTALL)
UNVALUED = re.compile(r"Without values: (\d+) parts? · (\d+) characters?(?:, (\d+) of them the message)?")
REJECTED = re.compile(r"A text message cannot contain (.+?). It would arrive")
BUBBLE = re.compile(r'<div class="nf-bubble">(.*?)</div>', re.DOTALL)


def check_unfilled_text(console: ConsoleCaller, vector: Vector) -> None:
    ticked = {"redact_personalisation": "on"} if vector["redact"] else {}
    missing = [name for name in placeholders.find(vector["template"]) if vector["personalisation"].get(name) is None]
    emptied = {f"sample-{name}": "" for name in missing}  # the editor tries unset conditions with yes
    page = console.preview(vector, type="email", subject="Subject", **emptied, **ticked)

    _, marked = (html.unescape(text) for text in UNFILLED.findall(page))
    plain = re.sub(r"</?mark>", "", marked.replace("<mark>hidden</mark>", "[hidden]"))
    assert plain == vector["expect"]


def check_sms_editor_count(console: ConsoleCaller, vector: Vector) -> None:
    match = UNVALUED.search(console.preview(vector))

    assert match
    fragments, chars, without_prefix = match.groups(default=match[2])
    assert int(fragments) == vector["fragments"]
    assert (int(chars), int(without_prefix)) == (vector["chars"], vector["chars_without_prefix"])


def check_sms_rejected_chars(console: ConsoleCaller, vector: Vector) -> None:
    """The editor names three of the characters that a text message cannot contain."""
    match = REJECTED.search(console.preview(vector))

    assert match
    assert match[1].split(", ") == vector["expect"][:3]


def check_sms_preview_html(console: ConsoleCaller, vector: Vector) -> None:
    match = BUBBLE.search(console.preview(vector))

    assert match
    assert normal_form(match[1]) == vector["expect"]


def check_service_contact(console: ConsoleCaller, vector: Vector) -> None:
    answer = console.set_contact(vector)

    if "error" in vector:
        assert vector["ui_message"] in html.unescape(answer)
        return
    assert f"<dd>{vector['display']}" in re.sub(r"\s*\n\s*", "", console.service_page(vector))


def check_placeholders(caller: Caller, vector: Vector) -> None:
    template = caller.get(vector, f"/v2/template/{caller.templates[vector['id']]}")

    assert list(template["personalisation"]) == vector["expect"]


def check_missing(caller: Caller, vector: Vector) -> None:
    response = caller.send(vector)

    assert response.status_code == (400 if vector["expect"] else 201)
    if vector["expect"]:
        told = response.json()["errors"]
        assert [error["message"] for error in told] == [f"Missing personalisation: {', '.join(vector['expect'])}"]


def check_email_api_body(caller: Caller, vector: Vector) -> None:
    response = caller.send(vector)

    assert caller.preview(vector)["body"] == vector["expect"]
    if vector["empty"]:
        assert (response.status_code, _message(response)) == (400, "Your message is empty.")
    else:
        assert (response.status_code, response.json()["content"]["body"]) == (201, vector["expect"])


def check_sms_body(caller: Caller, vector: Vector) -> None:
    response = caller.send(vector)

    assert caller.preview(vector)["body"] == vector["expect"]
    if vector["empty"]:
        assert (response.status_code, _message(response)) == (400, "Your message is empty.")
        return
    assert (response.status_code, response.json()["content"]["body"]) == (201, vector["expect"])
    assert caller.received(vector)["text"] == vector["expect"]
    costs = caller.costs(vector, response)
    assert costs["billable_sms_fragments"] == vector["fragments"]


def check_sms_length(caller: Caller, vector: Vector) -> None:
    response = caller.send(vector)

    if vector["too_long"]:
        said = TOO_LONG.format(vector["chars_without_prefix"])
        assert (response.status_code, _message(response)) == (400, said)
        return
    assert response.status_code == 201
    caller.received(vector)
    costs = caller.costs(vector, response)
    assert costs["billable_sms_fragments"] == vector["fragments"]


def check_email_subject(caller: Caller, vector: Vector) -> None:
    response = caller.send(vector)

    assert caller.preview(vector)["subject"] == vector["expect"]
    assert (response.status_code, response.json()["content"]["subject"]) == (201, vector["expect"])
    arrived = caller.received(vector)
    assert arrived["subject"] == vector["expect"]
    match = TITLE.search(arrived["html"])
    assert match
    assert html.escape(html.unescape(match[1]), quote=False) == vector["expect_html"]


def check_email_html_fragment(caller: Caller, vector: Vector) -> None:
    found = normal_form(caller.preview(vector)["html"])

    assert _with_link(found, vector) == vector["expect"]


def check_email_plain(caller: Caller, vector: Vector) -> None:
    assert caller.send(vector).status_code == 201

    assert _with_link(caller.received(vector)["text"], vector) == vector["expect"]


def check_email_preheader(caller: Caller, vector: Vector) -> None:
    assert caller.send(vector).status_code == 201

    match = PREHEADER.search(caller.received(vector)["html"])
    assert match
    assert match[1] == vector["expect"]


def check_email_size(caller: Caller, vector: Vector) -> None:
    assert caller.send(vector).status_code == (400 if vector["too_long"] else 201)


def check_sanitise_value(caller: Caller, vector: Vector) -> None:
    response = caller.send(vector, personalisation={"v": vector["value"]}, sanitise_content_for=["v"])

    if not vector["expect"]:
        assert (response.status_code, _message(response)) == (400, "Your message is empty.")
        return
    assert (response.status_code, response.json()["content"]["body"]) == (201, vector["expect"].strip())
    assert caller.received(vector)["text"] == vector["expect_plain"]
    shown = caller.preview({**vector, "personalisation": {"v": vector["expect"]}})
    assert normal_form(shown["html"]) == vector["expect_html"]


def check_sanitise_request(caller: Caller, vector: Vector) -> None:
    response = caller.send(vector, sanitise_content_for=vector["sanitise_content_for"])

    assert response.json()["sanitised_content"] == vector["expect_sanitised_content"]
    assert response.json()["content"]["body"] == " ".join(vector["expect_personalisation"].values())


def check_phone(caller: Caller, vector: Vector) -> None:
    response = caller.send(vector, phone_number=vector["input"])

    if "error" in vector:
        said = (
            f"phone_number {vector['v2_message']}" if vector["v2_kind"] == "ValidationError" else vector["v2_message"]
        )
        assert response.status_code == 400
        assert response.json()["errors"][0].items() >= {"error": vector["v2_kind"], "message": said}.items()
        return
    assert response.status_code == 201
    if vector["expect"] in SIMULATED:
        return
    assert caller.received(vector)["to"] == vector["expect"]
    costs = caller.costs(vector, response)
    assert costs["international_rate_multiplier"] == vector["rate_multiplier"]


def check_email_address(caller: Caller, vector: Vector) -> None:
    response = caller.send(vector, email_address=vector["input"])

    if "error" in vector:
        assert (response.status_code, _message(response)) == (400, f"email_address {vector['error']}")
        return
    assert response.status_code == 201
    assert caller.get(vector, f"/v2/notifications/{response.json()['id']}")["email_address"] == vector["expect"]


def check_recipient_match(caller: Caller, vector: Vector) -> None:
    field = "email_address" if "@" in vector["recipient"] else "phone_number"
    response = caller.send(vector, key="team", **{field: vector["recipient"]})

    assert response.status_code == (201 if vector["expect"] else 400)


def check_v2_validation(caller: Caller, vector: Vector) -> None:
    """Replace a vector's unknown template id with a real one if the body has a valid shape."""
    body, template_id = vector["body"], caller.templates[vector["id"]]
    if vector["schema"] == "file":
        response = caller.send(vector, personalisation={"doc": body})
    else:
        sent = body if vector["errors"] else {**body, "template_id": template_id}
        response = caller.post(vector, f"/v2/notifications/{vector['schema']}", sent)

    told = [{"error": one["error"], "message": one["message"]} for one in response.json().get("errors", [])]
    assert (response.status_code, told) == (400 if vector["errors"] else 201, vector["errors"])


Check = Callable[[Any, Vector], None]
CHECKS: dict[str, Check] = {
    name.removeprefix("check_"): check for name, check in list(globals().items()) if name.startswith("check_")
}
OF_CONSOLE = {"unfilled_text", "sms_editor_count", "sms_rejected_chars", "sms_preview_html", "service_contact"}
OF_HTTP_ONLY = "v2_validation"  # the kind that `test_vectors` leaves out


def _check_of(vector: Vector) -> str:
    return "service_contact" if vector.get("service_contact") else vector["kind"]


def _form_and_result(vector: Vector) -> tuple[object, ...]:
    """Return the check, the names of the values that are set, and the errors.

    Each vector of the API's own kind has a form of its own.
    """
    check = _check_of(vector)
    errors = [vector.get(name) for name in ("error", "v2_message", "ui_message", "country_prefix", "fragments")]
    return (check, *sorted(name for name in vector if vector[name]), *errors, check == OF_HTTP_ONLY and vector["id"])


EVERY: list[Vector] = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").strip().split("\n")]
CASES = list({_form_and_result(vector): vector for vector in reversed(EVERY)}.values())[::-1]


def _message(response: requests.Response) -> str:
    return str(response.json()["errors"][0]["message"])


def _with_link(text: str, vector: Vector) -> str:
    """Replace the service's unsubscribe link with the one of the case."""
    return re.sub(r"http://127\.0\.0\.1:\d+/unsubscribe[^\s\"<)]*", vector.get("unsubscribe_link", ""), text)


@pytest.fixture(scope="module")
def caller(service: Service, worker: Program) -> Caller:
    return Caller(service, [vector for vector in CASES if _check_of(vector) not in OF_CONSOLE])


@pytest.fixture(scope="module")
def console(service: Service) -> ConsoleCaller:
    return ConsoleCaller(service, [vector for vector in CASES if _check_of(vector) in OF_CONSOLE])


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, caller: Caller, console: ConsoleCaller) -> Iterator[dict[str, Future[None]]]:
    """Play the cases of this run in parallel, because they mostly wait for the worker."""
    ids = {item.callspec.id for item in request.session.items if hasattr(item, "callspec")}

    def play(vector: Vector) -> None:
        check = _check_of(vector)
        CHECKS[check](console if check in OF_CONSOLE else caller, vector)

    with ThreadPoolExecutor(PLAYERS) as pool:
        yield {vector["id"]: pool.submit(play, vector) for vector in CASES if vector["id"] in ids}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("vector", CASES, ids=lambda vector: vector["id"])
def test_a_vector_passes_over_http(vector: Vector, played: dict[str, Future[None]]) -> None:
    played[vector["id"]].result()
