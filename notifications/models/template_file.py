"""The contents of the fixed files of templates. Their names and options are in `Template.fixed_files`.

Source: docs/reference/files.md §2.3.
"""

import base64
import uuid
from typing import Self

from django.db import models
from django.utils import timezone

from config import encryption
from notifications.models.template import Template


class TemplateFile(models.Model):
    """One file of a template. Its content never changes: another file is another row."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="+")
    encrypted_content = models.BinaryField()
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"File {str(self.pk)[:8]}"

    @classmethod
    def of(cls, template: Template, data: bytes) -> Self:
        """Return the row of a file, not saved."""
        row = cls(template=template)
        encoded = base64.b64encode(data).decode()
        row.encrypted_content = encryption.encrypt(encoded, table="templatefile", column="content", row=str(row.pk))
        return row

    def data(self) -> bytes:
        return base64.b64decode(self.encoded())

    def encoded(self) -> str:
        """Return the content as base64. Raises config.encryption.DecryptionFailed."""
        return encryption.decrypt(
            bytes(self.encrypted_content), table="templatefile", column="content", row=str(self.pk)
        )
