"""The callers of a submission: a program with an API key, or a person in the console. The same rules apply to both."""

from dataclasses import dataclass
from uuid import UUID

from config.audit import Actor
from config.audit.models import ActorKind
from notifications.models import ApiKey, KeyType, Service


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleSender:
    """A person who sends from the console.

    key_type: live for a message that is sent; test for one that reaches no recipient
    name: stored as `created_by` of the message
    """

    service: Service
    key_type: KeyType
    name: str

    @property
    def allowed_templates(self) -> tuple[str, ...]:
        """Return the only templates that the caller may send; a person may send all."""
        return ()

    @property
    def daily_limit(self) -> None:
        """Return None: only the limits of the service apply to a person."""

    @property
    def service_id(self) -> UUID:
        return self.service.id


Caller = ApiKey | ConsoleSender


def actor_of(key: ApiKey) -> Actor:
    """Return an API key as the actor of an audit event."""
    return Actor(kind=ActorKind.KEY, id=str(key.id), label=key.name)
