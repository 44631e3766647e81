"""What the erasure of a person does with each column of texts. Every area states it for its own models.

A test fails if a column of characters, JSON or bytes is missing. Source: docs/reference/erasing.md §3.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from config import areas


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns of one model, as names with spaces between them.

    own: of rows that belong to one recipient: the erasure finds these rows, and deletes or redacts them
    text: it is searched for the recipient, which is replaced
    encrypted: it is decrypted and searched
    reported: content of a service, or an audit event: it is searched and counted, and not changed
    staff: accounts, and names of the people who did something
    nothing: ids, words of the program, and secrets
    service: the path to the service of a row; blank if only a search in all services covers the model
    """

    own: str = ""
    text: str = ""
    encrypted: str = ""
    reported: str = ""
    staff: str = ""
    nothing: str = ""
    service: str = ""

    def all(self) -> list[str]:
        lists = (self.own, self.text, self.encrypted, self.reported, self.staff, self.nothing)
        return [name for names in lists for name in names.split()]


@dataclass(frozen=True, slots=True)
class PersonalColumns:
    """The columns of an area's models, by label such as `notifications.Notification`."""

    models: Mapping[str, Columns]


def by_label() -> dict[str, Columns]:
    """Return the columns of the models of all installed areas and of the platform."""
    found = dict(PLATFORM.models)
    for part in areas.parts(PersonalColumns):
        found.update(part.models)
    return found


PLATFORM = PersonalColumns(
    {
        "accounts.Passkey": Columns(staff="name", nothing="credential_id public_key user_handle transports"),
        "accounts.RecoveryCode": Columns(nothing="code_hash"),
        "accounts.TotpDevice": Columns(staff="name", nothing="encrypted_key"),
        "admin.LogEntry": Columns(text="object_repr change_message", nothing="object_id"),
        "auth.Group": Columns(nothing="name"),
        "auth.Permission": Columns(nothing="name codename"),
        "auth.User": Columns(staff="username first_name last_name email", nothing="password"),
        "axes.AccessAttempt": Columns(staff="username get_data post_data", nothing="user_agent http_accept path_info"),
        "axes.AccessFailureLog": Columns(staff="username", nothing="user_agent http_accept path_info"),
        "axes.AccessLog": Columns(staff="username", nothing="user_agent http_accept path_info session_hash"),
        "config.MetricValue": Columns(nothing="name labels"),
        "config.PeriodicJob": Columns(text="error", nothing="name"),
        "config.Presence": Columns(nothing="name holder"),
        "config.WorkerProcess": Columns(nothing="holder queues"),
        "contenttypes.ContentType": Columns(nothing="app_label model"),
        "operations.AccountName": Columns(staff="name"),
        "operations.AuditEvent": Columns(
            reported="object_label before after reason",
            staff="actor_id actor_label",
            nothing="object_kind object_id verb request_id signature",
            service="service_id",
        ),
        "operations.AuditHead": Columns(nothing="chain_hash purged_hash"),
        "operations.AuditLink": Columns(nothing="chain_hash"),
        "operations.BulkJobRun": Columns(text="error arguments", nothing="holder kind rows way_back"),
        "operations.Invite": Columns(staff="created_by requested_from", nothing="token_hash encrypted_token"),
        "operations.ReadEvent": Columns(staff="user_id user_label", nothing="object_kind object_id request_id"),
        "operations.RetentionRun": Columns(text="error detail", nothing="holder rule"),
        "operations.SavedSearch": Columns(encrypted="encrypted_term", nothing="kind", service="service_id"),
        "operations.SignOnIdentity": Columns(staff="issuer subject"),
        "sessions.Session": Columns(nothing="session_key session_data"),  # messages of pages are in a cookie
    }
)
