"""Texts, files and emails as other programs write them: each line of tests/vectors/foreign-inputs.jsonl."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from config.docs.document import document
from notifications.bulk_tables import uploads
from notifications.bulk_tables.sheets import HasHiddenCells
from notifications.delivery.returned_emails import mailbox
from notifications.models import Status, Suppression
from notifications.recipients import email as email_addresses
from notifications.recipients import phone
from notifications.rendering import email, sms
from tests import factories
from tests.notifications.bulk_tables.test_uploads import MAIN, text_row, xlsx
from tests.notifications.calling import make_caller, sms_template
from tests.notifications.draining import drain_messages
from tests.notifications.foreign_returns import RECIPIENT, RETURNED
from tests.servers import ROOT

pytestmark = pytest.mark.django_db

VECTORS: list[dict[str, Any]] = [
    json.loads(line) for line in (ROOT / "tests/vectors/foreign-inputs.jsonl").read_text().splitlines()
]

Runner = Callable[[Any, dict[str, Any]], None]
RUNNERS: dict[str, Runner] = {}


def runner(area: str) -> Callable[[Runner], Runner]:
    def register(function: Runner) -> Runner:
        RUNNERS[area] = function
        return function

    return register


@pytest.mark.parametrize("vector", VECTORS, ids=[one["id"] for one in VECTORS])
def test_a_foreign_input_has_the_right_result(vector: dict[str, Any]) -> None:
    RUNNERS[vector["area"]](vector["input"], vector)


def test_every_line_has_a_runner_and_every_runner_a_line() -> None:
    assert {vector["area"] for vector in VECTORS} == RUNNERS.keys()
    assert len({vector["id"] for vector in VECTORS}) == len(VECTORS) == 33
    assert {vector["id"] for vector in VECTORS if vector["area"] == "returned email"} == RETURNED.keys()


@runner("suppressions")
def suppressions(given: Any, vector: dict[str, Any]) -> None:
    template = factories.make_template(channel="email", content="Hello")
    factories.make_suppression(template.service, given["suppress"])
    message = factories.make_notification(template, given["send_to"])

    drain_messages()

    message.refresh_from_db()
    assert message.status == Status.PERMANENT_FAILURE


@runner("email address")
def email_address(given: Any, vector: dict[str, Any]) -> None:
    parsed = email_addresses.parse(given)

    if vector["kind"] == "IDNA 2003":
        host = parsed.ascii.partition("@")[2]
        typed = given.partition("@")[2].partition(".")[0]
        assert host == f"xn--{typed.encode('punycode').decode()}.example"  # the letters as typed, ς among them
    else:
        assert parsed.normalised == vector["expected"]


@runner("text message value")
def text_message_value(given: Any, vector: dict[str, Any]) -> None:
    text = sms.render("((v))", {"v": given}).text

    assert "?" not in text
    assert text in {"Amélie", "Siôn", "Dorde"}


@runner("email subject value")
def subject_value(given: Any, vector: dict[str, Any]) -> None:
    assert email.render_subject("((v))", {"v": given}) == given


@runner("phone number")
def phone_number(given: Any, vector: dict[str, Any]) -> None:
    assert phone.parse(given, international=False, landlines=False).normalised == vector["expected"]


def _cell(value: object, styles: str) -> list[object]:
    """Return the row of a workbook with one number, in a style of its own."""
    row = f'<row r="2"><c r="A2" s="1"><v>{value}</v></c></row>'
    data = xlsx(text_row(1, "amount") + row, **{"xl/styles.xml": styles})
    [cells] = uploads.from_file(io.BytesIO(data)).table.rows
    return list(cells)


def _styles(formats: str, number: int) -> str:
    return (
        f'<styleSheet xmlns="{MAIN}">{formats}<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="{number}"/></cellXfs>'
        "</styleSheet>"
    )


@runner("xlsx cell <v>")
def cell_value(given: Any, vector: dict[str, Any]) -> None:
    assert _cell(given, _styles("", 0)) == [vector["expected"]]


@runner("xlsx cell with number format")
def cell_format(given: Any, vector: dict[str, Any]) -> None:
    code = given["format"].replace('"', "&quot;")
    formats = f'<numFmts count="1"><numFmt numFmtId="170" formatCode="{code}"/></numFmts>'

    assert _cell(given["value"], _styles(formats, 170)) == [vector["expected"].removesuffix(" or a notice")]


@runner("xlsx hidden cells")
def hidden_cells(given: Any, vector: dict[str, Any]) -> None:
    first, second = text_row(1, "email address", "name"), text_row(2, "ann@example.com", "Zoë")
    if given.startswith("<row"):
        data = xlsx(first + second.replace('<row r="2">', given))
    else:
        data = xlsx(first + second, before_rows=given)

    with pytest.raises(HasHiddenCells):
        list(uploads.from_file(io.BytesIO(data)).table.rows)


@runner("table")
def table(given: Any, vector: dict[str, Any]) -> None:
    read = uploads.from_file(io.BytesIO(given.encode())).table

    assert list(read.names) == ["phone number", "name"]
    assert len(list(read.rows)) == 1


@runner("bulk 201")
def bulk_send(given: Any, vector: dict[str, Any]) -> None:
    caller = make_caller()
    body = {"template_id": str(sms_template(caller, content="Hello").id), "name": "x", **given}

    answer = caller.post("/v2/notifications/bulk", body)

    assert (answer.status_code, answer.json()["data"]["updated_at"]) == (201, None)


@runner("openapi.json")
def openapi(given: Any, vector: dict[str, Any]) -> None:
    body = document()["paths"]["/v2/suppressions"]["post"]["requestBody"]
    if given.endswith("without a body"):
        assert body["required"] is True
        return
    schema = {**body["content"]["application/json"]["schema"], "components": document()["components"]}
    both = {"email_address": "ana@example.org", "phone_number": "07700900123"}
    assert not Draft202012Validator(schema).is_valid(both)
    assert make_caller().post("/v2/suppressions", both).status_code == 400


@runner("returned email")
def returned_email(given: Any, vector: dict[str, Any]) -> None:
    values = {"status": Status.DELIVERED, "is_acceptance_final": True, "provider": "mail"}
    message = factories.make_notification(recipient=RECIPIENT, **values)

    mailbox.take_in(RETURNED[vector["id"]](message))

    message.refresh_from_db()
    assert Suppression.objects.get().recipient == RECIPIENT
    is_complaint = vector["id"] in {"foreign-18", "foreign-19"}
    assert message.status == (Status.DELIVERED if is_complaint else Status.PERMANENT_FAILURE)
