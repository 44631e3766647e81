"""Replace the files of an email with links, and encrypt the files for storage.

The text is rendered twice: with full links for the recipient and the caller, and without keys for storage.
Source: docs/reference/files.md §2, §7; docs/reference/sending-api.md §10, §11.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from notifications.attachments import intake, links, validation
from notifications.attachments.encryption import FileKey
from notifications.attachments.intake import CheckedFile, EncryptedFile
from notifications.errors import FilesNotSetUp
from notifications.models import Notification, Service
from notifications.submission.policy import console_url


def any_in(personalisation: Mapping[str, object]) -> bool:
    values = personalisation.values()
    return dict in map(type, values) and any(map(validation.is_file, values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """The files of one email by placeholder. Only the link of a file contains its key.

    For a simulated recipient nothing is stored, and all links are the same.
    """

    service: Service
    is_simulated: bool
    objects: Mapping[str, Mapping[str, object]]
    keys: Mapping[str, FileKey]

    @classmethod
    def of(cls, service: Service, personalisation: Mapping[str, object], *, is_simulated: bool) -> Self:
        """Find the files: objects with the key `file`. They are not validated yet."""
        objects = {
            name: value
            for name, value in personalisation.items()
            if isinstance(value, dict) and validation.is_file(value)
        }
        keys = {name: FileKey.new() for name in objects}
        return cls(service=service, is_simulated=is_simulated, objects=objects, keys=keys)

    def with_links(self, personalisation: Mapping[str, object]) -> Mapping[str, object]:
        """Return the values with full links instead of files."""
        whole = {name: links.with_key(key.file_id, key.secret) for name, key in self.keys.items()}
        return {**personalisation, **(self._simulated() if self.is_simulated else whole)}

    def with_simulated_links(self, personalisation: Mapping[str, object]) -> Mapping[str, object]:
        """Return the values with the link of simulated recipients instead of files, for a dry run."""
        return {**personalisation, **self._simulated()}

    def with_kept_links(self, personalisation: Mapping[str, object]) -> Mapping[str, object]:
        """Return the values with links without keys, for storage, instead of files."""
        kept = {name: links.without_key(key.file_id) for name, key in self.keys.items()}
        return {**personalisation, **(self._simulated() if self.is_simulated else kept)}

    def check(self) -> Mapping[str, CheckedFile]:
        """Validate and scan all files. Raises InvalidRequest, InvalidFile, NoVerdict or FilesNotSetUp."""
        if not self.objects:
            return {}
        requests = [validation.parse(options) for options in self.objects.values()]
        if not self.service.file_contact:
            raise FilesNotSetUp(settings_url=console_url(self.service))
        return dict(zip(self.objects, intake.check(requests), strict=True))

    def encrypt(self, checked: Mapping[str, CheckedFile], notification: Notification) -> list[EncryptedFile]:
        """Return the encrypted files to store: none for a simulated recipient."""
        if self.is_simulated:
            return []
        return [intake.encrypt(file, self.keys[name], notification) for name, file in checked.items()]

    def _simulated(self) -> dict[str, str]:
        return dict.fromkeys(self.objects, links.for_simulation(self.service.id))
