"""From a JSON value to records that can be stored. Source: Data Set contract §5 to §7.

Each record is first taken at a trot: it is written out as the text that will be stored, and that text is searched for
what could be wrong. Only a record that looks odd is gone through field by field, so a batch of good ones costs little
more than writing them, and the rules stand in one place, `faults`.
"""

import re
import uuid
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from datasets.errors import MAX_FAULTS_SHOWN, Fault, NoRecords, NotAnEmptyArray, RecordsRefused
from datasets.records import auto_ids as made_ids
from datasets.records import faults, moments, names, writing

_SURROGATE = re.compile("[\ud800-\udfff]")
# What `faults.is_bad_id` finds nothing wrong with, in one look.
_is_good_id = re.compile(rf"[^\s\x00-\x1f\x7f-\x9f\ud800-\udfff]{{1,{faults.MAX_ID_LENGTH}}}").fullmatch


class ParsedRecord(NamedTuple):
    """One good record. A tuple, not a dataclass: ten thousand of them are made at once.

    body: the caller's own fields as compact JSON; the other four are the fields of the service, moments as they are
    given back.
    """

    id: str
    timestamp: str
    start_at: str | None
    end_at: str | None
    body: str


def check(value: object, *, auto_ids: Sequence[str], look: writing.Look = writing.UNSEEN) -> Iterator[ParsedRecord]:
    """Return the records one by one as they are found good, those with one `_id` all of them. Raises NoRecords at once.

    Behind the first that is at fault comes none; RecordsRefused is raised at the end, so callers that have done
    something with the others by then undo it. It holds the first MAX_FAULTS_SHOWN faults and counts all: a fault for
    each of a million empty records takes a minute and a gigabyte.

    look: at the body that the value was read from
    """
    elements = [value] if isinstance(value, dict) else value
    if not isinstance(elements, list) or not elements:
        raise NoRecords
    return _check(elements, auto_ids, look)


def _check(elements: Sequence[object], auto_ids: Sequence[str], look: writing.Look) -> Iterator[ParsedRecord]:
    is_plain = not look.has_escapes and look.brackets <= len(elements) + faults.MAX_LEVELS  # then no body is odd
    known: set[str] = set()
    shown: list[Fault] = []
    fault_count = refused = 0
    for index, element in enumerate(elements):
        record = _parse_one(element, auto_ids, known, look.write, is_plain) if isinstance(element, dict) else None
        if record is None:
            refused += 1
            for field, message in _explain(element, auto_ids):
                fault_count += 1
                if len(shown) < MAX_FAULTS_SHOWN:
                    shown.append(Fault(index, field if field is None else names.shown(field), message))
        elif not refused:
            yield record
    if refused:
        raise RecordsRefused(faults=shown, fault_count=fault_count, refused=refused, count=len(elements))


def check_empty_array(value: object) -> None:
    """Raises NotAnEmptyArray unless the body of a PUT is exactly `[]`."""
    if value != [] or not isinstance(value, list):
        raise NotAnEmptyArray


def _parse_one(
    record: dict[str, object], auto_ids: Sequence[str], known: set[str], write: writing.Writer, is_plain: bool
) -> ParsedRecord | None:
    """Return the record, or None where it has a fault. known: names that were found good earlier in this batch."""
    own: dict[str, Any] = record.copy()  # Any: JSON, which is judged by what the fields take
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
    if not is_plain and _is_odd(body) and any(faults.find(record, auto_ids)):
        return None
    if auto_ids:
        if not all(name in record for name in auto_ids):
            return None
        return ParsedRecord(made_ids.make(record, auto_ids), timestamp, start_at, end_at, body)
    if sent_id is None and "_id" not in record:
        return ParsedRecord(str(uuid.uuid4()), timestamp, start_at, end_at, body)
    if not isinstance(sent_id, str) or not _is_good_id(sent_id) or not faults.fits_index(sent_id):
        return None
    return ParsedRecord(sent_id, timestamp, start_at, end_at, body)


def _take_names(own: dict[str, object], known: set[str]) -> bool:
    """Throw computed fields away and remember the good names of the others; False where one is bad."""
    for name in [*own]:
        if name in names.COMPUTED:
            del own[name]
        elif name not in known:
            if not names.is_field_name(name):
                return False
            known.add(name)
    return True


def _explain(element: object, auto_ids: Sequence[str]) -> Iterator[tuple[str | None, str]]:
    found = faults.find(element, auto_ids)
    first = next(found, None)
    if first is None:  # then the two readings of the rules differ: fail loudly rather than lose a record
        raise AssertionError("a record was refused without a fault")
    return chain([first], found)


def _is_odd(body: str) -> bool:
    """May this text hold U+0000, a lone surrogate, or more levels than are allowed? Sure of every No, not of a Yes."""
    return (
        "\\u0000" in body
        or not (body.isascii() or _SURROGATE.search(body) is None)
        or body.count("{") + body.count("[") > faults.MAX_LEVELS
    )
