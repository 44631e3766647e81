"""Look up a token with its data set and path by a prepared statement.

Each call runs it first. With the ORM, building the query and the rows takes as long as the rest of a one-record write.
"""

from config.databases.prepared import Columns, Statement
from datasets.models.access_token import AccessToken
from datasets.models.data_set import DataSet
from datasets.models.paths import DataGroup, DataType

# The columns that calls use. The others are deferred, as with `only()`.
_READ = Columns(
    (
        AccessToken,
        (
            *("id", "data_set_id", "prefix", "may_write", "may_read", "expires_at", "revoked_at", "last_used_at"),
            "services",
        ),
    ),
    (DataSet, ("id", "group_id", "type_id", "public", "auto_ids", "columns_until", "schema_mode", "is_of_product")),
    (DataGroup, ("id", "name")),
    (DataType, ("id", "name")),
)
_FIND = Statement(
    """
    SELECT {columns} FROM datasets_accesstoken
    JOIN datasets_dataset ON datasets_dataset.id = datasets_accesstoken.data_set_id
    JOIN datasets_datagroup ON datasets_datagroup.id = datasets_dataset.group_id
    JOIN datasets_datatype ON datasets_datatype.id = datasets_dataset.type_id
    WHERE datasets_accesstoken.token_hash = %s
    """,
    reads=_READ,
)


def token_by_hash(secret_hash: str) -> AccessToken | None:
    """Return the token with `data_set`, `group` and `type` loaded, or None. The token may be revoked or expired."""
    found = _FIND.first(secret_hash)
    if found is None:
        return None
    token: AccessToken
    token, token.data_set, token.data_set.group, token.data_set.type = _READ.rows(found)
    return token
