"""A token with its data set and address, by a statement made once.

Every call begins with it. To build the query anew, and rows from its answer, took the ORM as long as all that follows
for a write of one record.
"""

from functools import cache
from itertools import islice
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models

from config.inserting import prepared_cursor
from datasets.models.access_token import AccessToken
from datasets.models.address import DataGroup, DataType
from datasets.models.data_set import DataSet

# What calls use of each. The rest is read when it is asked for, as after `only`.
_READ: dict[type[models.Model], tuple[str, ...]] = {
    AccessToken: ("id", "data_set_id", "prefix", "may_write", "may_read", "expires_at", "revoked_at", "last_used_at"),
    DataSet: ("id", "group_id", "type_id", "public", "auto_ids"),
    DataGroup: ("id", "name"),
    DataType: ("id", "name"),
}
_FIND = """
SELECT {columns} FROM datasets_accesstoken
JOIN datasets_dataset ON datasets_dataset.id = datasets_accesstoken.data_set_id
JOIN datasets_datagroup ON datasets_datagroup.id = datasets_dataset.group_id
JOIN datasets_datatype ON datasets_datatype.id = datasets_dataset.type_id
WHERE datasets_accesstoken.digest = %s
"""


def token_by_digest(digest: str) -> AccessToken | None:
    """Return the token, live or not, with `data_set`, and that one's `group` and `type`, loaded."""
    connection = connections[DEFAULT_DB_ALIAS]
    statement, converters = _compiled(connection.vendor)
    with prepared_cursor(connection) as cursor:
        cursor.execute(statement, [digest])
        found = cursor.fetchone()
    if found is None:
        return None
    row = list(found)
    for place, column, own in converters:
        for convert in own:
            row[place] = convert(row[place], column, connection)
    parts = iter(row)
    made: list[Any] = [  # Any: each is of its own model
        model.from_db(connection.alias, names, list(islice(parts, len(names)))) for model, names in _attributes()
    ]
    token, token.data_set, token.data_set.group, token.data_set.type = made
    return token  # type: ignore[no-any-return]  # the first of them


@cache
def _compiled(vendor: str) -> tuple[str, list[tuple[int, Any, list[Any]]]]:  # Any: untyped in Django
    """Return the statement, and by its place each column that does not come from the database as it should."""
    connection = connections[DEFAULT_DB_ALIAS]
    columns: list[Any] = [field.get_col(model._meta.db_table) for model in _READ for field in _fields(model)]
    quote = connection.ops.quote_name
    names = ", ".join(f"{quote(column.alias)}.{quote(column.target.column)}" for column in columns)
    converters = [
        (place, column, [*connection.ops.get_db_converters(column), *column.get_db_converters(connection)])
        for place, column in enumerate(columns)
    ]
    return _FIND.format(columns=names), [each for each in converters if each[2]]


@cache
def _attributes() -> list[tuple[type[models.Model], list[str]]]:
    return [(model, [field.attname for field in _fields(model)]) for model in _READ]


def _fields(model: type[models.Model]) -> list[Any]:  # Any: untyped in django-stubs
    return [field for field in model._meta.concrete_fields if field.attname in _READ[model]]
