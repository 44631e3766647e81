"""Search every column of texts for a recipient, and replace it. Source: docs/reference/erasing.md §3.

The database finds rows that may have the recipient, and Python decides. A table is read once.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import BooleanField, F, Func, Model, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, Collate

from config import personal_columns
from config.databases import statements
from config.personal_columns import TextColumns
from config.personal_records import RecordSearch
from notifications.one_person.person import Person

SCAN_SECONDS = 300
_AT_ONCE = 200
_BETWEEN_DIGITS = r"([^0-9A-Za-z]|%20|\\u[0-9a-f]{4})*"  # JSON of SQLite has no characters beyond ASCII


def erase_mentions(person: Person) -> Iterator[int]:
    """Replace the recipient in all texts. Yield the number of changed rows after each batch."""
    for model, columns in _models():
        names = columns.text.split()
        pks = _found(person, model, columns, names)
        for start in range(0, len(pks), _AT_ONCE):
            yield _erase(person, model, names, pks[start : start + _AT_ONCE])


def reported(person: Person) -> dict[str, int]:
    """Return how many rows that are not changed have the recipient, by the plural name of their model."""
    found: dict[str, int] = {}
    for model, columns in _models():
        names = columns.reported.split()
        rows = model._default_manager.filter(pk__in=_found(person, model, columns, names)).only("pk", *names)
        number = sum(any(_has(person, getattr(row, name)) for name in names) for row in rows)
        if number:
            found[str(model._meta.verbose_name_plural)] = number
    return found


def skipped(person: Person) -> dict[str, int]:
    """Return how many rows have the recipient only within a longer word, by the plural name of their model.

    They are left: joann@example.org in a text is another person than ann@example.org. Call it after the erasure.
    """
    found: Counter[str] = Counter()
    for model, columns in _models():
        names = [*columns.text.split(), *columns.reported.split()]
        rows = model._default_manager.filter(pk__in=_found(person, model, columns, names)).only("pk", *names)
        for row in rows:
            values = [getattr(row, name) for name in names]
            found[str(model._meta.verbose_name_plural)] += _is_within(person, values) and not _has(person, values)
    return {name: number for name, number in found.items() if number}


def _is_within(person: Person, value: Any) -> bool:  # Any: a text or JSON
    return bool(person.mentions.erase_own_in(value) != value)


def _models() -> Iterator[tuple[type[Model], TextColumns]]:
    for label, columns in personal_columns.by_label().items():
        yield apps.get_model(label), columns


def _found(person: Person, model: type[Model], columns: TextColumns, names: Sequence[str]) -> list[Any]:
    """Return the primary keys of the rows that may have the recipient in one of these columns."""
    if not names:
        return []
    here = person.here(model._default_manager.all(), columns.service)
    with statements.allowed(SCAN_SECONDS):
        return list(may_have(person, here, names).order_by().values_list("pk", flat=True))


def may_have(person: Person, rows: QuerySet[Any], names: Sequence[str]) -> QuerySet[Any]:
    conditions = [condition for name in names for condition in _conditions(person, name)]
    return rows.filter(reduce(or_, conditions))


class Search(RecordSearch):
    """The search for a person in the records of another area."""

    def __init__(self, person: Person) -> None:
        self._person = person

    def are_in(self, text: str) -> bool:
        return self._person.mentions.are_in(text)

    def may_have(self, rows: QuerySet[Any], names: Sequence[str]) -> QuerySet[Any]:
        return may_have(self._person, rows, names)


def _conditions(person: Person, name: str) -> list[Q]:
    is_postgresql = connection.vendor == "postgresql"
    text: Any = Cast(F(name), TextField())
    if person.is_phone:
        # A million regular expressions take PostgreSQL 7 s. LIKE takes a fifth, and leaves few texts.
        in_order = _compared(text, "LIKE", f"%{'%'.join(person.mentions.digits)}%")
        return [Q(in_order) & Q(_compared(text, "~" if is_postgresql else "REGEXP", _digits(person)))]
    if is_postgresql:
        text = Collate(text, "C")  # other collations lower the whole text by slow rules
    return [Q(_compared(text, "ILIKE" if is_postgresql else "LIKE", like)) for like in person.mentions.like_patterns]


def _digits(person: Person) -> str:
    return _BETWEEN_DIGITS.join(person.mentions.digits)


def _compared(text: Any, operator: str, pattern: str) -> Func:
    template = "(%(expressions)s)"
    return Func(text, Value(pattern), template=template, arg_joiner=f" {operator} ", output_field=BooleanField())


def _erase(person: Person, model: type[Model], names: Sequence[str], pks: Sequence[Any]) -> int:
    changed = 0
    for row in model._default_manager.filter(pk__in=pks).only("pk", *names).select_for_update(of=("self",)):
        changes = {name: _erased(person, row, name) for name in names if _has(person, getattr(row, name))}
        if changes:
            changed += model._default_manager.filter(pk=row.pk).update(**changes)
    return changed


def _erased(person: Person, row: Model, name: str) -> Any:  # Any: a text or JSON
    value = person.mentions.erase_in(getattr(row, name))
    length = getattr(row._meta.get_field(name), "max_length", None)
    return value[:length] if isinstance(value, str) and length else value


def _has(person: Person, value: Any) -> bool:  # Any: a text or JSON
    return bool(person.mentions.erase_in(value) != value)
