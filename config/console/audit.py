"""Write the audit trail: one call, inside the transaction of the change it tells of.

Source: Security and reliability §7; Staff console §2.18.
"""

from dataclasses import dataclass
from uuid import UUID

import structlog

from config.console.models import ActorKind, AuditEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who did it. `label` is what a person reads: a user's name, a key's name, a token's first 8 characters."""

    kind: ActorKind
    id: str = ""
    label: str = ""
    network_address: str | None = None


CLOCK = Actor(kind=ActorKind.CLOCK, label="clock")
COMMAND = Actor(kind=ActorKind.COMMAND, label="command line")


def record(
    actor: Actor,
    verb: str,
    *,
    object_kind: str,
    object_id: object,
    service_id: UUID | None = None,
    data_set_id: int | None = None,
    before: dict[str, object] | None = None,
    after: dict[str, object] | None = None,
    reason: str = "",
) -> AuditEvent:
    """Store one event; `before` and `after` hold only what changed, never a secret, a recipient or content."""
    return AuditEvent.objects.create(
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_label=actor.label,
        network_address=actor.network_address,
        verb=verb,
        object_kind=object_kind,
        object_id=str(object_id),
        service_id=service_id,
        data_set_id=data_set_id,
        before=before,
        after=after,
        reason=reason,
        request_id=structlog.contextvars.get_contextvars().get("request_id", ""),
    )
