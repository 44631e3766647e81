"""Turn a JSON value into records that can be stored. Source: docs/reference/data-sets.md §5 to §7.

Each record is serialized to the text that will be stored, and that text is searched for forbidden content. Only a
suspicious record is checked field by field by `rejections`, so that valid records cost little more than serialization.
"""

import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, Protocol

from config.rest import strict_json
from datasets.errors import MAX_REJECTIONS_SHOWN, NoRecords, NotAnEmptyArray, RecordsRejected, Rejection
from datasets.records import auto_ids as made_ids
from datasets.records import moments, names, rejections, writing
from datasets.records.elements import Elements, Oversized

_SURROGATE = re.compile("[\ud800-\udfff]")
# Accepts only ids that `rejections.is_bad_id` accepts.
_is_good_id = re.compile(rf"[^\s\x00-\x1f\x7f-\x9f\ud800-\udfff]{{1,{rejections.MAX_ID_LENGTH}}}").fullmatch


TIMED = 64  # records


class Body(Protocol):
    """The text of a record: `str` returns it, and `len` the number of its characters."""

    def __len__(self) -> int: ...

    def __str__(self) -> str: ...


class ParsedRecord(NamedTuple):
    """One valid record. A tuple, because a request makes ten thousand of them.

    body: the caller's own fields as compact JSON. Moments have the format of answers.
    """

    id: str
    timestamp: str
    start_at: str | None
    end_at: str | None
    body: Body


class Fits(Protocol):
    """A further rule for valid records, such as a schema.

    accepts: a quick test; `fits(record)` decides about a record that it does not accept
    """

    @property
    def accepts(self) -> Callable[[object], bool]: ...

    def __call__(self, record: object, /) -> bool: ...

    def check_time(self) -> None:
        """Raise an error if all records together take too long. Called for one record of TIMED."""
        ...

    def reasons(self, record: object, /) -> Iterator[tuple[str | None, str]]:
        """Yield the field and message of each rejection of a record that does not fit."""
        ...


def check(
    value: object, *, auto_ids: Sequence[str], look: writing.Look = writing.UNSEEN, fits: Fits | None = None
) -> Iterator[ParsedRecord]:
    """Yield the valid records. Raises NoRecords before the first, RecordsRejected after the last.

    No record follows the first rejected one. Callers that have stored records must roll back on RecordsRejected. It
    holds only the first MAX_REJECTIONS_SHOWN, because a million of them would take a minute and a gigabyte.

    look: the facts about the body that `look_at` found
    """
    records = [value] if isinstance(value, dict | Oversized) else value
    if not isinstance(records, list | Elements) or not records:
        raise NoRecords
    return _check(records, auto_ids, look, fits)


def _check(
    elements: Sequence[object] | Elements, auto_ids: Sequence[str], look: writing.Look, fits: Fits | None
) -> Iterator[ParsedRecord]:
    is_plain = shows_plain(look, len(elements))
    known: set[str] = set()
    shown: list[Rejection] = []
    rejection_count = refused = 0
    accepts = None if fits is None else fits.accepts
    for index, element in enumerate(elements):
        record = parse_one(element, auto_ids, known, look.write, is_plain) if isinstance(element, dict) else None
        if fits is not None and not index % TIMED:
            fits.check_time()
        if record is None or not (accepts is None or accepts(element) or (fits is not None and fits(element))):
            refused += 1
            for field, message in explain(element, auto_ids, fits):
                rejection_count += 1
                if len(shown) < MAX_REJECTIONS_SHOWN:
                    shown.append(Rejection(index, field if field is None else names.shown(field), message))
        elif not refused:
            yield record
    if refused:
        raise RecordsRejected(rejections=shown, rejection_count=rejection_count, refused=refused, count=len(elements))


def check_row(
    record: dict[str, object], *, auto_ids: Sequence[str], known: set[str]
) -> ParsedRecord | list[tuple[str | None, str]]:
    """Return one record, or the field and message of each rejection. known: the valid names found so far."""
    write = writing.exactly if any(map(writing.is_odd, record.values())) else writing.quickly
    parsed = parse_one(record, auto_ids, known, write, is_plain=False)
    return [*explain(record, auto_ids, None)] if parsed is None else parsed


def write_field(name: str, value: object) -> str:
    """Return a field as it stands in the body of a record. Raises ValueError if only `check_row` can judge its value.

    name: a valid one

    >>> write_field("count", 5), write_field("name", "Ann")
    ('"count":5', '"name":"Ann"')
    """
    body = (writing.exactly if writing.is_odd(value) else writing.quickly)({name: value})
    if _is_odd(body):
        raise ValueError(name)
    return body[1:-1]


def check_empty_array(value: object) -> None:
    """Raise NotAnEmptyArray unless the value is `[]`."""
    if not isinstance(value, list | Elements) or len(value):
        raise NotAnEmptyArray


def parse_one(
    record: dict[str, object], auto_ids: Sequence[str], known: set[str], write: writing.Writer, is_plain: bool
) -> ParsedRecord | None:
    """Return the record, or None if it is rejected. known: the valid names found so far in this batch."""
    own: dict[str, Any] = record.copy()  # Any: JSON
    try:
        timestamp = moments.in_utc(own.pop("_timestamp"))
        start_at = moments.in_utc(own.pop("_start_at")) if "_start_at" in own else None
        end_at = moments.in_utc(own.pop("_end_at")) if "_end_at" in own else None
        sent_id = own.pop("_id", None)
        if not own.keys() <= known and not _take_names(own, known):
            return None
        body = write(own)
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    if not is_plain and _is_odd(body) and any(rejections.find(record, auto_ids)):
        return None
    if auto_ids:
        if not all(name in record for name in auto_ids):
            return None
        return ParsedRecord(made_ids.make(record, auto_ids), timestamp, start_at, end_at, body)
    if sent_id is None and "_id" not in record:
        return ParsedRecord(str(uuid.uuid4()), timestamp, start_at, end_at, body)
    if not isinstance(sent_id, str) or not _is_good_id(sent_id) or not rejections.fits_index(sent_id):
        return None
    return ParsedRecord(sent_id, timestamp, start_at, end_at, body)


def _take_names(own: dict[str, object], known: set[str]) -> bool:
    """Drop computed fields and add the other names to `known`. Return False if a name is invalid."""
    for name in [*own]:
        if name in names.COMPUTED:
            del own[name]
        elif name not in known:
            if not names.is_field_name(name):
                return False
            known.add(name)
    return True


def shows_plain(look: writing.Look, number: int) -> bool:
    """Return whether a body of so many records can hold neither forbidden characters nor too many levels."""
    return not look.has_escapes and look.brackets <= number + rejections.MAX_LEVELS


def explain(element: object, auto_ids: Sequence[str], fits: Fits | None) -> Iterator[tuple[str | None, str]]:
    """Return the field and message of each rejection of a rejected element."""
    found = rejections.find(element, auto_ids)
    first = next(found, None)
    if first is None and fits is not None:
        found = fits.reasons(element)
        first = next(found, None)
    if first is None:  # the two checks differ: fail rather than lose a record
        raise AssertionError("a record was rejected without a reason")
    return chain([first], found)


def _is_odd(body: str) -> bool:
    """Return whether the text may hold U+0000, a lone surrogate or too many levels. False is certain, True is not."""
    if "\\u0000" in body or not (body.isascii() or _SURROGATE.search(body) is None):
        return True
    if body.count("{") + body.count("[") <= rejections.MAX_LEVELS:
        return False
    return strict_json.is_deep(body.encode(), max_depth=rejections.MAX_LEVELS + 1)  # the record is level 0
