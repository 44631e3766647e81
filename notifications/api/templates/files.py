"""Fixed files in the bodies of requests and responses. Source: docs/reference/sending-api.md §17.5."""

from typing import Any

from rest_framework import serializers

from notifications import errors
from notifications.api import fields
from notifications.attachments.file_types import KINDS
from notifications.attachments.validation import FileRequest, extension_of, parse
from notifications.models import Template
from notifications.submission.templates import fixed_files


class FileOptions(serializers.Serializer[Any]):
    filename = serializers.CharField()
    confirm_email_before_download = serializers.BooleanField(
        help_text="true: the download page asks for the email address."
    )
    retention_period = serializers.CharField(help_text="How long the file of each message is kept: `26 weeks`.")


class StoredFile(FileOptions):
    id = serializers.UUIDField()
    content_type = serializers.CharField(help_text="Of the extension, such as `application/pdf`.")
    size_bytes = serializers.IntegerField(min_value=1)


class WholeFile(FileOptions):
    file = serializers.CharField(help_text="The content as base64.")


class GivenFile(WholeFile):
    filename = serializers.CharField(required=False)
    confirm_email_before_download = serializers.BooleanField(required=False)
    retention_period = serializers.CharField(required=False)


class Files(serializers.DictField):
    """Files by placeholder, each as in the personalisation of a send. removes: null removes a file"""

    child = GivenFile()

    def __init__(self, *, removes: bool = False, **options: Any) -> None:
        super().__init__(child=GivenFile(allow_null=removes), **options)
        self.removes = removes

    def to_internal_value(self, data: object) -> dict[str, FileRequest | None]:
        fields.of_type(self.field_name, data, dict, "object")
        given: dict[str, Any] = data  # type: ignore[assignment]  # checked above
        types, words = ((dict, type(None)), "object, null") if self.removes else (dict, "object")
        for name, one in given.items():
            fields.of_type(f"{self.field_name}.{name}", one, types, words)
            if one is not None and "file" not in one:
                raise errors.PropertyMissing(name=f"{self.field_name}.{name}.file")
        return {name: None if one is None else parse(one) for name, one in given.items()}


def files_of(template: Template) -> dict[str, dict[str, object]]:
    """Return the fixed files of a template by placeholder, without their contents."""
    return {
        name: {
            "id": options["id"],
            **fixed_files.options_as_sent(options),
            "content_type": KINDS[extension_of(options["filename"])][0],
            "size_bytes": options["size_bytes"],
        }
        for name, options in template.fixed_files.items()
    }
