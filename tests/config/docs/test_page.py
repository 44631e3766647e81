"""The page at /docs/, and the same as plain text: whole, without other hosts, with every anchor that is linked to."""

import ast
import re

import pytest

from config.docs.document import document
from config.docs.parts import parts
from datasets.api.problems import FAMILIES
from notifications import errors, problems
from notifications.attachments.refusals import FileInfected
from notifications.recipients.outcomes import Outcome
from notifications.submission import policy
from tests.servers import ROOT

SOME_ID = "6e4abd5a-7a72-4230-8ebb-8e04456198c9"
TABLE = {  # the brief's table of errors, row by row
    "team-only key": errors.NotOnTeam(),
    "trial mode": errors.ServiceInTrial(trial_mode_url="https://example.org/#trial-mode"),
    "virus": FileInfected(),
    "international": errors.InternationalNotAllowed(),
    "sender": errors.SmsSenderNotFound(as_sent=SOME_ID, service_id=SOME_ID),
    "too many digits": errors.ValidationError(f"phone_number {Outcome.TOO_LONG.v2_message}"),
    "not enough digits": errors.ValidationError(f"phone_number {Outcome.TOO_SHORT.v2_message}"),
    "not a UK mobile": errors.ValidationError(f"phone_number {Outcome.NOT_A_UK_MOBILE.v2_message}"),
    "letters or symbols": errors.ValidationError(f"phone_number {Outcome.UNKNOWN_CHARACTER.v2_message}"),
    "country prefix": errors.ValidationError(f"phone_number {Outcome.UNSUPPORTED_COUNTRY_CODE.v2_message}"),
    "missing argument": errors.ValidationError("template_id is a required property"),
    "argument of a wrong type": errors.ValidationError("personalisation [1] is not of type object"),
    "clock": errors.ClockSkewed(),
    "key not found": errors.KeyNotFound(),
    "rate": errors.RateLimited(key_type="live", limit=3000, retry_after_seconds=7),
    "day": errors.DailyLimitReached(limit_kind="sms", limit=50, retry_after_seconds=7),
    "ours": errors.InternalError(),
}


@pytest.fixture
def page(client) -> str:
    return client.get("/docs/").content.decode()


def anchors(page: str) -> list[str]:
    return re.findall(r'\bid="([^"]+)"', page)


@pytest.mark.parametrize("anchor", ["authentication", "trial-mode", "testing"])
def test_the_stable_anchors_are_there(page, anchor):
    assert anchor in anchors(page)


def test_every_anchor_is_there_once_and_every_link_leads_to_one(page):
    found = anchors(page)

    assert len(found) == len(set(found))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(found)


@pytest.mark.parametrize("fault", TABLE.values(), ids=TABLE)
def test_each_row_of_the_table_of_errors_has_an_anchor_and_a_fix(page, fault):
    row = problems.find(fault)

    assert row is not None
    assert row.fix
    assert row.anchor in anchors(page)


def test_every_link_an_error_can_carry_leads_to_its_entry(page):
    assert {row.anchor for row in problems.ALL} <= set(anchors(page))


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_the_errors_of_data_sets_have_anchors_and_fixes_too(page, family):
    for row in FAMILIES[family]:
        assert row.fix
        assert f"errors-{row.slug}" in anchors(page)


def refused_queries() -> list[str]:
    """Every message a query is refused with, as the code spells it; what is filled in is written x."""
    calls = [
        node
        for path in (ROOT / "datasets" / "queries").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "QueryRefused"
    ]
    return [
        "".join(
            str(part.value) if isinstance(part, ast.Constant) else "x"
            for part in (call.args[0].values if isinstance(call.args[0], ast.JoinedStr) else call.args)
        )
        for call in calls
    ]


def test_every_refusal_of_a_query_is_explained():
    patterns = [re.compile(".*".join(map(re.escape, row.message.split("…")))) for row in FAMILIES["Queries"]]
    messages = refused_queries()

    assert len(messages) > 25
    assert [one for one in messages if one != "x x." and not any(each.fullmatch(one) for each in patterns)] == []


def test_every_operation_is_shown_with_its_fields_an_example_and_its_errors(page):
    for path, methods in document()["paths"].items():
        for operation in methods.values():
            article = page[page.index(f'id="{operation["operationId"]}"') :].partition("</article>")[0]

            assert path in article
            assert "curl -sS" in article
            for parameter in operation.get("parameters", []):
                assert f"<code>{parameter['name']}</code>" in article
            for answer in operation["responses"].values():
                for slug in answer.get("content", {}).get("application/json", {}).get("examples", {}):
                    assert f'href="#errors-{slug}"' in article


def test_the_simulated_recipients_are_listed(page):
    assert all(f"0{number.removeprefix('44')}" in page for number in policy.SIMULATED_NUMBERS)
    assert "temp-fail@simulator.notify" in page


def test_it_works_without_scripts_and_loads_nothing_from_elsewhere(page):
    loaded = re.findall(r'<(?:link|img|script|iframe)\b[^>]*?(?:href|src)="([^"]+)"', page)

    assert "<script" not in page
    assert all(address.startswith(("/static/", "data:")) for address in loaded)


def test_the_same_is_there_as_plain_text(client, page):
    answer = client.get("/docs/llms.txt")
    text = answer.content.decode()

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "<" not in re.sub(r"`[^`]*`|<token>", "", text)
    for part in parts():
        assert all(chapter.text in text for chapter in part.chapters)
        for family in part.families.values():
            assert all(problem.message in text and problem.fix in text for problem in family)


def test_the_front_page_and_the_console_lead_to_it(client, console):
    assert 'href="/docs/"' in client.get("/").content.decode()
    assert 'href="/docs/"' in console.get("/admin/").content.decode()
