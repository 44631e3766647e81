"""Every refusal of the data set area as it is explained on the documentation page: slug, message and fix.

In families, each in the order of its checks; `…` in a message stands for a value.
Source: Data Set contract §3, §10, §11.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from config.rest import body, strict_json
from datasets import errors
from datasets.api.errors import BODIES, BUSY, STATUSES, TEXTS
from datasets.errors import DataSetError


@dataclass(frozen=True, kw_only=True)
class Row:
    slug: str
    status: int
    message: str
    fix: str

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(r"[\s\S]*".join(map(re.escape, self.message.split("…"))))

    def tells(self, status: int, message: str) -> bool:
        return self.status == status and self._pattern.fullmatch(message) is not None


def _row(slug: str, error: type[DataSetError], fix: str, message: str = "") -> Row:
    status = next(STATUSES[kind] for kind in error.__mro__ if kind in STATUSES)
    return Row(slug=f"data-{slug}", status=status, message=message or error.message, fix=fix)


def _body(slug: str, reason: body.Reason, fix: str) -> Row:
    status, message = BODIES[reason]
    return Row(slug=f"data-{slug}", status=status, message=message.format(cap="…"), fix=fix)


def _text(slug: str, reason: strict_json.Reason, fix: str) -> Row:
    return Row(slug=f"data-{slug}", status=400, message=TEXTS[reason].format(at="…"), fix=fix)


def _query(slug: str, message: str, fix: str) -> Row:
    return _row(f"query-{slug}", errors.QueryRefused, fix, message)


TOKEN = (
    _row("token-missing", errors.TokenMissing, "Send the header with the word `Bearer`, a space and the token."),
    _row(
        "token-not-valid",
        errors.TokenNotLive,
        "Have a new token issued in the console: this one is wrong, revoked or has ended.",
    ),
    _row("token-of-another", errors.TokenOfAnotherDataSet, "Use the token of this data set, or check the address."),
)
WRITING = _row(
    "token-may-not-write", errors.WritingNotAllowed, "Have a token with the scope write issued in the console."
)
READING = _row(
    "token-may-not-read", errors.ReadingNotAllowed, "Have a token with the scope read issued in the console."
)
ADDRESS = (
    _row(
        "no-such-data-set", errors.NoSuchDataSet, "Check group and type in the address: lower case, as in the console."
    ),
)
OTHER_ADDRESS = (
    _row("nothing-here", errors.NothingHere, "Use `/data/`, the group, `/` and the type, nothing before or after."),
    Row(
        slug="data-method-not-allowed",
        status=405,
        message="This method is not allowed here.",
        fix="Use one of the methods in the header `Allow`.",
    ),
    Row(
        slug="data-request-not-understood",
        status=400,
        message="The request could not be understood.",
        fix="Look at what your program or a proxy sends: a web server cannot read it.",
    ),
    Row(
        slug="data-use-https",
        status=403,
        message="Use https.",
        fix="Call the same address with `https`, and rotate a token sent in clear.",
    ),
)

BODY = (
    _row("content-type", errors.WrongContentType, "Send the header `Content-Type: application/json`."),
    _body("content-encoding", body.Reason.UNKNOWN_CODING, "Send the body plain, or compressed with gzip alone."),
    _body("too-large", body.Reason.TOO_LARGE, "Send the records in several requests."),
    _text("empty-body", strict_json.Reason.EMPTY, "Send an array of records."),
    _text("not-utf8", strict_json.Reason.NOT_UTF8, "Encode the body as UTF-8."),
    _text(
        "not-json",
        strict_json.Reason.NOT_JSON,
        "Look at the place named: JSON knows no `NaN`, comments or trailing commas.",
    ),
    _body("bad-gzip", body.Reason.BAD_GZIP, "Compress the whole body, or send it plain without `Content-Encoding`."),
)
KEY = (
    _row("idempotency-key", errors.KeyMalformed, "Use 1 to 255 visible ASCII characters, such as a UUID."),
    _row(
        "idempotency-key-reused",
        errors.KeyReused,
        "Use a new key for each new body, the same one only to repeat a request.",
    ),
)

TOO_MANY_RECORDS = _row("too-many-records", errors.TooManyRecords, "Send the records in several requests.")
NO_RECORDS = _row("no-records", errors.NoRecords, "Put the records into one array: `[{…}, {…}]`.")
REFUSED = _row(
    "records-refused",
    errors.RecordsRefused,
    "Mend what `errors` names by index and field, and send the whole batch again.",
    "Records refused: … of …. Nothing was stored.",
)
NOT_EMPTY_ARRAY = _row(
    "not-an-empty-array", errors.NotAnEmptyArray, "Send exactly `[]` to empty the data set; add records with POST."
)

FAILURES = (
    Row(
        slug="data-busy",
        status=503,
        message=BUSY,
        fix="Send the same request again after the seconds in `Retry-After`: nothing was stored.",
    ),
    Row(
        slug="data-failure",
        status=500,
        message=DataSetError.message,
        fix="Send it again; if it stays like this, quote `X-Request-Id`.",
    ),
)

QUERY = (
    _query("unknown", "Unknown parameter: ….", "Use the parameters listed with the operation."),
    _query("once", "… can be given only once.", "Leave out all but one of them."),
    _query("often", "… can be given at most … times.", "Leave some of them out, or ask in several requests."),
    _query("nul", "… contains U+0000.", "Take the character out."),
    _query("format", "format must be json, csv or ndjson.", "Use one of the three."),
    _query(
        "moment",
        "… must be an ISO 8601 date-time such as 2024-01-01T00:00:00Z.",
        "Give date and time; write `+` as `%2B`.",
    ),
    _query("start-alone", "start_at needs end_at or duration.", "Add one of the two."),
    _query("end-alone", "end_at needs start_at or duration.", "Add one of the two."),
    _query("range", "end_at must be later than start_at.", "Exchange the two; one instant needs `inclusive=true`."),
    _query("boolean", "… must be true or false.", "Use one of the two words, in lower case."),
    _query("inclusive", "inclusive needs start_at and end_at.", "Add both, or leave it out."),
    _query("period", "period must be one of …", "Use one of the words in the list."),
    _query(
        "period-alone", "period needs duration, or start_at and end_at.", "Say how many periods, or from when to when."
    ),
    _query("number", "… must be a whole number from 1 to ….", "Use a number in this range, in digits alone."),
    _query("duration-alone", "duration needs period.", "Say of which period there shall be so many."),
    _query(
        "duration-and-range", "duration cannot be used with both start_at and end_at.", "Leave out one of the three."
    ),
    _query(
        "filter-form", "… must be a field name and a value with a colon between them.", "Write it as `field:value`."
    ),
    _query("filter-both", "filter_by and filter_by_prefix cannot be used together.", "Use one of the two."),
    _query("filter-field", "…: not a field that can be filtered on.", "Filter on a field of yours, or on `_id`."),
    _query("filter-moment", "filter_by: the value must be a date-time.", "Give it as `2024-01-01T00:00:00Z`."),
    _query(
        "group-field",
        "group_by: not a field that can be grouped by.",
        "Group by a field of yours. Write `:` in a name as `\\:`.",
    ),
    _query("group-twice", "group_by: the same field is given twice.", "Leave out one of them."),
    _query("collect-alone", "collect needs group_by or period.", "Add one of the two, or leave it out."),
    _query("collect-method", "collect: unknown method.", "Use one of the methods listed with the parameter."),
    _query("collect-field", "collect: not a field that can be collected.", "Collect a field of yours."),
    _query("collect-grouped", "collect: a group_by field cannot be collected.", "Collect another field."),
    _query(
        "sort-form",
        "sort_by must be a field name and ascending or descending with a colon between them.",
        "Write it as `field:ascending` or `field:descending`.",
    ),
    _query("sort-period", "sort_by with period needs group_by.", "Leave it out: periods are in the order of time."),
    _query("sort-field", "sort_by: not a field that can be sorted by.", "Sort by a key that is in the answer."),
    _query("limit-period", "limit with period needs group_by.", "Leave it out, or ask for fewer periods."),
    _query("cursor-form", "cursor works only on raw JSON reads.", "Leave it out: other answers have no pages."),
    _query(
        "cursor",
        "The cursor does not belong to this query.",
        "Send the query again that gave this cursor, or start without one.",
    ),
    _query("same-name", "The result would have two different values named ….", "Ask for one of the two only."),
    _query("values", "A field named values needs flatten=true with group_by and period.", "Send `flatten=true`."),
    _query(
        "too-many-rows",
        "The result would have more than … rows.",
        "Ask for a shorter range, longer periods or fewer groups.",
    ),
    _query("far-future", "The periods would end after the year 9999.", "Ask for an earlier range."),
)

FAMILIES = {
    "Tokens": (*TOKEN, WRITING, READING),
    "Addresses": (*ADDRESS, *OTHER_ADDRESS),
    "Bodies": (*BODY, *KEY),
    "Records": (TOO_MANY_RECORDS, NO_RECORDS, REFUSED, NOT_EMPTY_ARRAY),
    "Queries": QUERY,
    "Failures of data sets": FAILURES,
}


def find(status: int, message: str) -> Row:
    """Return the row that explains an answer; what no row explains is a failure of ours."""
    rows = [row for family in FAMILIES.values() for row in family]
    return next((row for row in rows if row.tells(status, message)), FAILURES[-1])
