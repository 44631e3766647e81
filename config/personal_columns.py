"""What the erasure of a person does with each column of texts. Every area states it for its own models.

A test fails if a column of characters, JSON or bytes is missing. Source: docs/reference/erasing.md §3.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from config import areas


@dataclass(frozen=True, slots=True, kw_only=True)
class TextColumns:
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

    models: Mapping[str, TextColumns]


def by_label() -> dict[str, TextColumns]:
    """Return the columns of the models of all installed areas and of the platform."""
    found = dict(PLATFORM.models)
    for part in areas.parts(PersonalColumns):
        found.update(part.models)
    return found


PLATFORM = PersonalColumns(
    {
        "accounts.Passkey": TextColumns(staff="name", nothing="credential_id public_key user_handle transports"),
        "accounts.RecoveryCode": TextColumns(nothing="code_hash"),
        "accounts.TotpDevice": TextColumns(staff="name", nothing="encrypted_key"),
        "admin.LogEntry": TextColumns(text="object_repr change_message", nothing="object_id"),
        "auth.Group": TextColumns(nothing="name"),
        "auth.Permission": TextColumns(nothing="name codename"),
        "auth.User": TextColumns(staff="username first_name last_name email", nothing="password"),
        "axes.AccessAttempt": TextColumns(
            staff="username get_data post_data", nothing="user_agent http_accept path_info"
        ),
        "axes.AccessFailureLog": TextColumns(staff="username", nothing="user_agent http_accept path_info"),
        "axes.AccessLog": TextColumns(staff="username", nothing="user_agent http_accept path_info session_hash"),
        "config.MetricValue": TextColumns(nothing="name labels"),
        "config.PeriodicJob": TextColumns(text="error", nothing="name"),
        "config.Presence": TextColumns(nothing="name holder"),
        "config.WorkerProcess": TextColumns(nothing="holder queues"),
        "contenttypes.ContentType": TextColumns(nothing="app_label model"),
        "operations.AccountName": TextColumns(staff="name"),
        "operations.AuditEvent": TextColumns(
            reported="object_label before after reason",
            staff="actor_id actor_label",
            nothing="object_kind object_id verb request_id signature",
            service="service_id",
        ),
        "operations.AuditHead": TextColumns(nothing="chain_hash purged_hash"),
        "operations.AuditLink": TextColumns(nothing="chain_hash"),
        "operations.BulkJobRun": TextColumns(text="error arguments", nothing="holder kind rows way_back"),
        "operations.Invite": TextColumns(staff="created_by requested_from", nothing="token_hash encrypted_token"),
        "operations.ReadEvent": TextColumns(staff="user_id user_label", nothing="object_kind object_id request_id"),
        "operations.RetentionRun": TextColumns(text="error detail", nothing="holder rule"),
        "operations.SavedSearch": TextColumns(encrypted="encrypted_term", nothing="kind", service="service_id"),
        "operations.SignOnIdentity": TextColumns(staff="issuer subject"),
        "sessions.Session": TextColumns(nothing="session_key session_data"),  # messages of pages are in a cookie
    }
)
