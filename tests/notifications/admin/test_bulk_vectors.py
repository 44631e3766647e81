"""Tables of the vectors through the pages of the console: one of each form and result that a person can upload.

`bulk_tables/test_vectors.py` and `bulk/test_vectors_over_http.py` have every case. The console adds forms and pages.
"""

import base64
import csv
import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory

from config.console import shown_once
from config.console.models import SpentNonce
from notifications.admin.bulk_sends import notices
from notifications.admin.bulk_sends.checking import Draft
from notifications.admin.bulk_sends.notices import Counts
from notifications.bulk_tables import mapping
from notifications.bulk_tables.columns import REFERENCE
from notifications.models import BulkSend, BulkTable, Channel, DailyCounter, LimitKind, Permission, Service, Template
from notifications.submission import ttl_cache
from tests import factories
from tests.notifications.bulk_tables.test_vectors import CASES, expanded

BULK = "/admin/notifications/bulksend/"
OF_ROWS = {"rows", "too_long", "not_allowed"}  # the console reports these row by row
BESIDES = {
    *("rows-12", "rows-13"),  # lists in JSON cells, and rows that are no arrays
    *("cell-28", "row-21", "upload-12"),  # rules of the API's csv: an upload may have semicolons, tabs and apostrophes
}


def is_uploadable(case: dict[str, Any]) -> bool:
    """Return whether a person can upload the case: real messages only, and no JSON that a spreadsheet cannot hold."""
    return case["given"].get("service", {}).get("key_type", "live") == "live" and case["id"] not in BESIDES


def kind_of(case: dict[str, Any]) -> tuple[object, ...]:
    """Return the form of the table, the settings of the service, and the kinds of errors."""
    given, expect = case["given"], case["expect"]
    file_errors = sorted(error["kind"] for error in expect["file_errors"])
    row_errors = sorted({error["message"] for row in expect["rows"] or [] for error in row["errors"]})
    return (*sorted(given), *sorted(given.get("service", {})), *file_errors, *row_errors, expect.get("rows_listed"))


UPLOADED = {kind_of(case): case for case in CASES if is_uploadable(case)}


def service_of(given: dict[str, Any], settings: Any) -> Service:
    wanted = given.get("service", {})
    permissions = [Permission.SMS.value, Permission.EMAIL.value]
    permissions += [name for name in ("international_sms", "sms_to_uk_landlines") if wanted.get(name)]
    limit, remaining = wanted.get("daily_limit", 250_000), wanted.get("remaining")
    service = factories.make_service(
        live=wanted.get("live", True),
        permissions=permissions,
        daily_limit_sms=limit,
        daily_limit_email=limit,
        daily_limit_international_sms=100,
        **({"name": wanted["name"]} if "name" in wanted else {}),
        prefix_sms=wanted.get("prefix_sms", False),
    )
    for guest in wanted.get("team_and_guest_list", []):
        factories.make_guest(service, guest)
    spent = {} if remaining is None else {LimitKind.SMS: limit - remaining, LimitKind.EMAIL: limit - remaining}
    if "remaining_international" in wanted:
        spent[LimitKind.INTERNATIONAL_SMS] = 100 - wanted["remaining_international"]
    for kind, number in spent.items():
        DailyCounter.objects.create(service=service, day=factories.timezone.now().date(), kind=kind, count=number)
    settings.BULK_MAX_ROWS = wanted.get("max_rows", 100_000)
    return service


def template_of(given: dict[str, Any], service: Service) -> Template:
    wanted = given["template"]
    channel = Channel(wanted["type"])
    return factories.make_template(service, channel, wanted["content"], wanted.get("subject"))


def nonce_of(user: User) -> str:
    """Return a nonce as the page has it, because opening the page for each case takes a third of the time."""
    request = RequestFactory().get("/")
    request.user = user
    return shown_once.new_nonce(request)


def posted(given: dict[str, Any]) -> dict[str, Any]:
    if "paste" in given:
        return {"pasted": given["paste"]}
    if "upload_b64" in given:
        data = base64.b64decode(given["upload_b64"])
    elif "rows" in given:
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_MINIMAL).writerows(given["rows"])
        data = text.getvalue().encode()
    elif "csv_repeat" in given:
        parts = given["csv_repeat"]
        data = "\n".join([parts["header"], *[parts["row"]] * parts["times"], *parts.get("then", [])]).encode()
    else:
        data = given["csv"].encode()
    return {"file": SimpleUploadedFile("people.csv", data)}


@pytest.mark.parametrize("case", UPLOADED.values(), ids=lambda case: case["id"])
def test_an_uploaded_table_is_checked_as_the_contract_says(
    case: dict[str, Any], console: Client, operator: User, settings: Any
) -> None:
    given, expect = expanded(case["given"]), expanded(case["expect"])
    service = service_of(given, settings)
    template = template_of(given, service)
    ttl_cache.clear()
    url = f"{BULK}add/?template={template.pk}"
    answer = console.post(url, {shown_once.FIELD: nonce_of(operator), **posted(given)})

    if expect["columns"] is None:
        (error,) = expect["file_errors"]
        assert answer.status_code == 422
        assert [str(text) for texts in answer.context["form"].errors.values() for text in texts] == [error["message"]]
        assert (BulkSend.objects.count(), SpentNonce.objects.count()) == (0, 0)
        return
    if answer.status_code == 422:  # the console refuses a file without a cell or with too many columns at once
        kinds = {error["kind"] for error in expect["file_errors"]}
        assert not any(expect["columns"]["names"]) or "too_many_columns" in kinds
        assert answer.context["form"].errors
        return
    table = BulkTable.objects.select_related("bulk_send__template", "bulk_send__service").get()
    draft = Draft.of(table)
    columns = draft.columns
    found = {
        "names": columns.names,
        "missing": columns.missing,
        "duplicate_recipient": columns.duplicate_recipient,
        "unused": columns.unused,
    }
    assert found == expect["columns"]
    assert table.row_count == expect["row_count"]
    errors = [error for error in expect["file_errors"] if error["kind"] not in OF_ROWS]
    if expect["rows"] is None:
        assert [{"kind": error.kind, "message": error.message} for error in draft.errors(Counts())] == errors
        page = console.get(answer["Location"])
        shown = {notice.heading for notice in page.context["notices"]}
        assert shown == {notice.heading for notice in notices.of_table(errors, Counts(), Channel(template.type))} - (
            set() if table.row_count > settings.BULK_MAX_ROWS else {notices.TOO_MANY}
        )
        return
    needs = mapping.needs(draft.rules.placeholders, is_email=draft.rules.is_email)
    choice = {f"column-{n}": ",".join(map(str, table.choice[need])) for n, need in enumerate(needs)}
    checked = console.post(answer["Location"], choice)
    assert checked.status_code == 302
    table = BulkTable.objects.select_related("bulk_send").get()
    assert table.bulk_send.check_result["errors"] == errors
    counts = Counts.of(table.bulk_send.check_result)
    assert {"with_errors": counts.with_errors, "international": counts.international} == expect["counts"]
    is_listed = expect.get("rows_listed")
    rows = table.bulk_send.rows.order_by("number")
    shown = []
    for row in rows.filter(errors__isnull=False) if is_listed == "with errors" else rows:
        one = {"number": row.number, "ok": not row.errors, "errors": row.errors or []}
        if is_listed != "without values":
            one |= {
                "recipient": row.recipient or None,
                "values": {name: column.value(row.cells) for name, column in columns.values.items()},
            }
        if REFERENCE in columns.special:
            one["reference"] = row.reference
        shown.append(one)
    assert shown == expect["rows"]
