"""Who a message is submitted for: a program with its key, or a person at the console. The same rules hold for both."""

from dataclasses import dataclass
from uuid import UUID

from notifications.models import ApiKey, KeyType, Service


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody at the console. What they send for real is held to what a live key is; a test leaves nowhere.

    name: what the message keeps of who made it
    """

    service: Service
    key_type: KeyType
    name: str

    @property
    def service_id(self) -> UUID:
        return self.service.id


Caller = ApiKey | Person
