"""Every case of the vectors for tables of recipients."""

import base64
import io
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from notifications.bulk_tables import tables, uploads
from notifications.bulk_tables.check import Allowance, TableCheck, TableLimits
from notifications.bulk_tables.columns import REFERENCE
from notifications.bulk_tables.rows import CheckedRow, Recipient, Rules
from notifications.bulk_tables.tables import UnreadableTable
from notifications.recipients import email, normalise, phone
from notifications.rendering import email as email_rendering
from notifications.rendering import placeholders, sms
from notifications.submission.policy import is_simulated

VECTORS = Path(__file__).parents[2] / "vectors" / "bulk-sending.jsonl"
CASES = [json.loads(line) for line in VECTORS.open(encoding="utf-8")]
REPEAT = re.compile(r"\{repeat:(.):(\d+)\}")


def expanded(value: Any) -> Any:
    """Replace `{repeat:x:n}` in every text of a value."""
    if isinstance(value, str):
        return REPEAT.sub(lambda found: found[1] * int(found[2]), value)
    if isinstance(value, list):
        return [expanded(item) for item in value]
    if isinstance(value, dict):
        return {key: expanded(item) for key, item in value.items()}
    return value


def table_of(given: dict[str, Any]) -> tuple[tables.Table, str | None]:
    if "upload_b64" in given:
        upload = uploads.from_file(io.BytesIO(base64.b64decode(given["upload_b64"])))
        return upload.table, upload.read_as
    if "paste" in given:
        return uploads.from_pasted(given["paste"]), None
    if "rows" in given:
        return tables.from_json(given["rows"]), None
    if "csv_repeat" in given:
        parts = given["csv_repeat"]
        lines = [parts["header"], *[parts["row"]] * parts["times"], *parts.get("then", [])]
        return tables.from_csv("\n".join(lines)), None
    return tables.from_csv(given["csv"]), None


def rules_of(given: dict[str, Any]) -> Rules:
    template, service = given["template"], given.get("service", {})
    is_email = template["type"] == "email"
    known = service.get("team_and_guest_list", [])
    key_type = service.get("key_type", "live")
    is_limited = key_type == "team" or (key_type == "live" and not service.get("live", True))

    def parse(text: str) -> Recipient:
        if is_email:
            return email.parse(text)
        international, landlines = service.get("international_sms", False), service.get("sms_to_uk_landlines", False)
        return phone.parse(text, international=international, landlines=landlines)

    prefix = service["name"] if service.get("prefix_sms") else None
    return Rules(
        is_email=is_email,
        placeholders=placeholders.find(template.get("subject", ""), template["content"]),
        parse=parse,
        is_known=lambda recipient: not is_limited or recipient.normalised in map(normalise, known),
        is_simulated=is_simulated,
        render=(
            partial(email_rendering.render, template["subject"], template["content"])
            if is_email
            else partial(sms.render, template["content"], prefix=prefix)
        ),
    )


def limits_of(given: dict[str, Any]) -> TableLimits:
    service = given.get("service", {})
    has_limits = service.get("key_type") != "test"
    daily = (
        Allowance(limit=service["daily_limit"], remaining=service["remaining"])
        if has_limits and "remaining" in service
        else None
    )
    remaining = service.get("remaining_international")
    international = None if remaining is None else Allowance(limit=100, remaining=remaining)
    return TableLimits(
        max_rows=service.get("max_rows", 100_000),
        daily=daily,
        international=international,
        is_team_key=service.get("key_type") == "team",
    )


def shown(row: CheckedRow, listed: str | None, check: TableCheck) -> dict[str, Any]:
    errors = [{"column": error.column, "message": error.message} for error in row.errors]
    found: dict[str, Any] = {"number": row.number, "ok": not row.errors, "errors": errors}
    if listed != "without values":
        found |= {"recipient": row.to, "values": dict(row.values)}
    if REFERENCE in check.columns.special:
        found["reference"] = row.reference
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_table_is_read_and_checked_as_the_contract_says(case: dict[str, Any]) -> None:
    given, expect = expanded(case["given"]), expanded(case["expect"])
    found: dict[str, Any] = {"columns": None, "row_count": 0, "counts": {"with_errors": 0, "international": 0}}
    listed = expect.get("rows_listed")
    try:
        table, read_as = table_of(given)
        check = TableCheck(table, rules_of(given), limits_of(given))
        rows = [shown(row, listed, check) for row in check.rows()]
    except UnreadableTable as error:
        found |= {"file_errors": [{"kind": error.kind, "message": str(error)}], "status": 400, "rows": None}
    else:
        columns, errors = check.columns, check.errors()
        found |= {
            "columns": {
                "names": columns.names,
                "missing": columns.missing,
                "duplicate_recipient": columns.duplicate_recipient,
                "unused": columns.unused,
            },
            "row_count": check.row_count,
            "file_errors": [{"kind": error.kind, "message": error.message} for error in errors],
            "counts": {"with_errors": check.with_errors, "international": check.international},
            "status": 429 if errors and all(error.is_limit_reached for error in errors) else 400 if errors else 201,
            "rows": [row for row in rows if listed != "with errors" or not row["ok"]] if check.checks_rows else None,
        }
        if read_as:
            found["read_as"] = read_as
    if listed:
        found["rows_listed"] = listed
    assert found == expect
