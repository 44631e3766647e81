"""The page at /docs/ and its plain text are complete, call no other host, and have every linked anchor."""

import html
import json
import re

import pytest
from django.test import Client

from config.docs import errors as error_pages
from config.docs.document import document
from config.docs.examples import LANGUAGES
from config.docs.parts import parts
from config.rest.api_errors import ApiError
from config.templatetags.prose import line
from datasets import errors as datasets_errors
from notifications import errors
from notifications.errors import FileInfected
from notifications.recipients.outcomes import PhoneRejection
from notifications.submission import policy
from tests import forks

SOME_ID = "6e4abd5a-7a72-4230-8ebb-8e04456198c9"
TABLE = {  # the brief's table of errors, row by row
    "team-only key": errors.NotOnTeam(),
    "trial mode": errors.ServiceInTrial(trial_mode_url="https://example.org/#trial-mode"),
    "virus": FileInfected(),
    "international": errors.InternationalNotAllowed(),
    "sender": errors.SmsSenderNotFound(as_sent=SOME_ID, service_id=SOME_ID),
    "too many digits": PhoneRejection.TOO_LONG.error(),
    "not enough digits": PhoneRejection.TOO_SHORT.error(),
    "not a UK mobile": PhoneRejection.NOT_A_UK_MOBILE.error(),
    "letters or symbols": PhoneRejection.UNKNOWN_CHARACTER.error(),
    "country prefix": PhoneRejection.UNSUPPORTED_COUNTRY_CODE.error(),
    "missing argument": errors.PropertyMissing(name="template_id"),
    "argument of a wrong type": errors.WrongType(name="personalisation", value="[1]", type="object"),
    "clock": errors.ClockSkewed(),
    "key not found": errors.KeyNotFound(),
    "rate": errors.RateLimited(key_type="live", limit=3000, retry_after_seconds=7),
    "day": errors.DailyLimitReached(limit_kind="sms", limit=50, retry_after_seconds=7),
    "ours": errors.InternalError(),
}


def below(kind: type[ApiError]) -> list[type[ApiError]]:
    return [one for child in kind.__subclasses__() for one in (child, *below(child))]


KINDS = [*below(errors.NotificationError), *below(datasets_errors.DataSetError)]


@pytest.fixture(scope="module")
def page() -> str:
    return Client().get("/docs/").content.decode()


def test_the_page_links_to_the_console(page):
    assert 'href="/admin/">Back to the console</a>' in page


def anchors(page: str) -> list[str]:
    return re.findall(r'\bid="([^"]+)"', page)


@pytest.mark.parametrize("anchor", ["authentication", "trial-mode", "testing"])
def test_the_stable_anchors_exist(page, anchor):
    assert anchor in anchors(page)


def test_every_anchor_is_unique_and_every_link_has_one(page):
    found = anchors(page)

    assert len(found) == len(set(found))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(found)


@pytest.mark.parametrize("error", TABLE.values(), ids=TABLE)
def test_each_row_of_the_table_of_errors_has_an_anchor_and_a_fix(page, error):
    assert error.fix
    assert error.anchor in anchors(page)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.slug], ids=lambda kind: kind.slug)
def test_every_error_has_an_entry_that_explains_it(page, kind):
    assert kind.fix
    assert f"errors-{kind.slug}" in anchors(page)
    assert "{" not in kind.documented().message


def test_a_slug_belongs_to_one_error_and_its_variants():
    owners = {kind.slug: kind for kind in reversed(KINDS) if kind.slug}

    assert [kind for kind in KINDS if kind.slug and not issubclass(kind, owners[kind.slug])] == []


def test_every_error_of_the_apis_with_a_text_has_an_entry():
    assert {kind.__name__ for kind in KINDS if kind.text and not kind.slug} == {
        "BulkSendNotReady",  # of tables that people upload
        "EmergencyNumber",  # of contact numbers, which no API call sets
        *("PageForbidden", "PageTooLarge"),  # of pages
    }


def test_every_operation_is_shown_with_its_fields_an_example_and_its_errors(page):
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            article = page[page.index(f'id="{operation["operationId"]}"') :].partition("</article>")[0]

            assert path in article
            assert "curl -sS" in article
            assert article.count("<pre ") == len(LANGUAGES)
            assert f'data-method="{method}" data-path="{path}"' in article
            for parameter in operation.get("parameters", []):
                assert f"<code>{parameter['name']}</code>" in article
            for answer in operation["responses"].values():
                for slug in answer.get("content", {}).get("application/json", {}).get("examples", {}):
                    assert f'href="#errors-{slug}"' in article


def test_the_simulated_recipients_are_listed(page):
    assert all(f"0{number.removeprefix('44')}" in page for number in policy.SIMULATED_NUMBERS)
    assert "temp-fail@simulator.notify" in page


def test_it_loads_nothing_from_elsewhere_and_has_no_script_of_its_own(page):
    loaded = re.findall(r'<(?:link|img|script|iframe)\b[^>]*?(?:href|src)="([^"]+)"', page)

    assert re.findall(r"<script[^>]*>", page) == re.findall(r'<script src="/static/[^"]+" type="module">', page)
    assert all(address.startswith(("/static/", "data:")) for address in loaded)


def test_the_page_exists_as_plain_text(client, page):
    answer = client.get("/docs/llms.txt")
    text = answer.content.decode()

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "<" not in re.sub(r"`[^`]*`|<token>", "", text)
    for part in parts():
        assert all(chapter.text in text for chapter in part.chapters)
        for family in part.families.values():
            assert all(error.documented().message in text and error.fix in text for error in family)


def test_the_front_page_and_the_console_link_to_the_page(client, console):
    assert 'href="/docs/"' in client.get("/").content.decode()
    assert 'href="/docs/"' in console.get("/admin/notifications/apikey/").content.decode()


def test_without_scripts_the_page_shows_the_examples_and_hides_what_needs_scripts(page):
    tags = re.findall(r'<(?:div class="try"|form class="search")[^>]*>', page)

    assert len(tags) == sum(map(len, document()["paths"].values())) + 1
    assert all(tag.endswith(" hidden>") for tag in tags)


@pytest.mark.parametrize("part", parts(), ids=lambda part: part.name)
def test_every_error_has_a_page_with_its_cause_its_fix_and_an_example(client, part):
    for family in part.families.values():
        for kind in family:
            error = kind.documented()

            shown = html.unescape(client.get(f"/docs/errors/{kind.slug}/").content.decode())

            assert error.message in shown
            assert "<h2>Cause</h2>" in shown
            assert html.unescape(line(error.fix)) in shown
            assert f"HTTP/1.1 {error.status} {error.status_name}" in shown


def test_the_list_of_errors_links_to_the_page_of_each(client, page):
    shown = client.get("/docs/errors/").content.decode()

    assert sorted(re.findall(r'href="/docs/errors/([^/"]+)/"', shown)) == sorted(error_pages.pages())
    assert 'href="/docs/errors/"' in page
    assert 'href="/docs/errors/"' in client.get("/docs/errors/team-only-key/").content.decode()


def test_a_cause_belongs_to_the_error_that_states_it():
    """A subclass would inherit the cause of another error."""
    owners = {kind: next(one for one in kind.__mro__ if "cause" in vars(one)) for kind in KINDS if kind.cause}

    assert [kind for kind, owner in owners.items() if kind.slug != owner.slug] == []


def test_the_page_of_an_error_lists_the_operations_that_return_it(client):
    shown = client.get("/docs/errors/team-only-key/").content.decode()

    assert '<a href="/docs/#sendEmail">Send an email</a>' in shown
    assert "#readMessage" not in shown
    assert client.get("/docs/errors/nothing/").status_code == 404


def test_the_changes_of_each_version_are_a_page(client):
    shown = client.get("/docs/changes/").content.decode()

    assert "<h2>Unreleased</h2>" in shown
    assert "<h2>1.1.0 – 20" in shown


def test_the_index_of_the_search_has_operations_chapters_errors_and_fields(client, page):
    entries = client.get("/docs/search.json").json()

    assert ["Send an email", "POST /v2/notifications/email", "Operation", "#sendEmail"] in entries
    assert ["Authentication", "", "Chapter", "#authentication"] in entries
    assert ["Template not found", "400 BadRequestError", "Error", "errors/template-not-found/"] in entries
    assert ["template_id", "Send an email", "Field", "#sendEmail"] in entries
    assert {url.removeprefix("#") for *_, url in entries if url.startswith("#")} <= set(anchors(page))


SHOWN = r"""
import django; django.setup()
from django.test import Client
client = Client(SERVER_NAME="127.0.0.1")
for path in ("/docs/", "/docs/llms.txt", "/docs/openapi.json"):
    print("\f" + client.get(path).content.decode() + "\f")
"""


def test_the_pages_show_the_base_url_of_data_sets(tmp_path):
    urls = {"BASE_URL": "https://signalbox.example.gov.uk", "DATA_BASE_URL": "https://data.example.gov.uk"}
    shown = forks.output_of(SHOWN, tmp_path, **urls)

    _, page, _, text, _, openapi, _ = shown.split("\f")
    assert "<p>Send these calls to <code>https://data.example.gov.uk</code>.</p>" in page
    assert "# Data sets\n\nSend these calls to https://data.example.gov.uk." in text
    assert 'curl -sS "https://data.example.gov.uk/data/' in text
    assert "$API/data" not in text
    assert "Send these calls to https://signalbox.example.gov.uk." in text
    for path, methods in json.loads(openapi)["paths"].items():
        for operation in methods.values():
            elsewhere = [{"url": "https://data.example.gov.uk"}] if path.startswith(("/data/", "/queries")) else None
            assert operation.get("servers") == elsewhere
