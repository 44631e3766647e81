"""The audit trail. `audit.record()` stores an event inside the transaction of the change."""

from config.audit.recording import (
    CLOCK,
    COMMAND,
    Actor,
    about,
    author,
    author_of,
    event,
    name_and_author_of,
    operator,
    person,
    record,
    record_all,
    scope_of,
)
