"""The request and response bodies of changing templates. Source: docs/reference/sending-api.md §17.5."""

from collections.abc import Iterator
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from notifications import errors
from notifications.api import fields
from notifications.api.records import TemplateSerializer
from notifications.api.serializers import RequestSerializer
from notifications.api.templates.files import Files, StoredFile, files_of
from notifications.models import Channel, TemplateVersion, VersionState
from notifications.submission.templates.definitions import Publication

MAX_NOTE_CHARACTERS = 255
_OTHERS = ("note", "state", "breaks_calls", "files")  # not properties of the template
STATES = (VersionState.PUBLISHED, VersionState.TEST, VersionState.DRAFT)


class Text(serializers.CharField):
    def to_internal_value(self, data: object) -> str:
        fields.of_type(self.field_name, data, str, "string")
        text = str(data)
        if self.max_length is not None and len(text) > self.max_length:
            raise errors.TextPropertyTooLong(name=self.field_name, value=errors.shown(text[: self.max_length]))
        return text


@extend_schema_field(fields.LANGUAGE_SCHEMA)
class LanguageCode(Text):
    """A language code. The rules of the editor check it."""


class Flag(serializers.BooleanField):
    def to_internal_value(self, data: object) -> bool:
        fields.of_type(self.field_name, data, bool, "boolean")
        return bool(data)


class Word(serializers.ChoiceField):
    def to_internal_value(self, data: object) -> str:
        fields.of_type(self.field_name, data, str, "string")
        if data not in self.choices:
            shown = errors.shown(data)
            raise errors.NotOneOf(name=self.field_name, value=shown, allowed=", ".join(map(str, self.choices)))
        return str(data)


class Tags(serializers.ListField):
    child = serializers.CharField()

    def to_internal_value(self, data: object) -> list[str]:
        fields.of_type(self.field_name, data, list, "array")
        return list(_of_texts(self.field_name, data, data))


class Defaults(serializers.DictField):
    child = serializers.CharField()

    def to_internal_value(self, data: object) -> dict[str, str]:
        fields.of_type(self.field_name, data, dict, "object")
        given: dict[str, Any] = data  # type: ignore[assignment]  # checked above
        return dict(zip(given, _of_texts(self.field_name, data, given.values()), strict=True))


class Translation(serializers.Serializer[Any]):
    language = LanguageCode(help_text="A language code, such as `cy`.")
    subject = serializers.CharField(allow_null=True, help_text="null for a text message.")
    body = serializers.CharField()


class Translations(serializers.ListField):
    child = Translation()

    def to_internal_value(self, data: object) -> list[dict[str, str | None]]:
        fields.of_type(self.field_name, data, list, "array")
        found: list[dict[str, str | None]] = []
        for one in data:  # type: ignore[attr-defined]  # checked above
            fields.of_type(self.field_name, one, dict, "object")
            for name, types, words in (
                ("language", str, "string"),
                ("subject", (str, type(None)), "string, null"),
                ("body", str, "string"),
            ):
                fields.of_type(f"{self.field_name}: {name}", one.get(name), types, words)
            if unknown := one.keys() - {"language", "subject", "body"}:
                raise errors.PropertiesUnexpected(names=unknown)
            found.append({"language": one["language"], "subject": one.get("subject"), "content": one["body"]})
        return found


def translations_of(version: TemplateVersion) -> list[dict[str, str | None]]:
    """Return the translations as the API names them."""
    return [
        {"language": one["language"], "subject": one["subject"], "body": one["content"]} for one in version.translations
    ]


def _of_texts(name: object, data: object, values: Any) -> Iterator[str]:
    for value in values:
        fields.of_type(name, value, str, "string")
        yield value


class ChangingSerializer(RequestSerializer):
    """Properties of a template. The rules for their values are those of the editor."""

    name = Text(help_text="The name. Recipients never see it.")
    subject = Text(required=False, help_text="The subject with its placeholders. For emails only.")
    body = Text(help_text="The text with its placeholders in double brackets. It is stored exactly as given.")
    unsubscribe_link = Flag(
        required=False, help_text="Add an unsubscribe link at the end. For emails only. By default false."
    )
    respect_quiet_hours = Flag(
        required=False, help_text="During the quiet hours of the service, messages wait until they end."
    )
    redact_personalisation = Flag(
        required=False, help_text="Staff see `hidden` instead of all values, in earlier messages too. Cannot be undone."
    )
    tags = Tags(required=False, help_text="Words that group templates in the console. They replace the stored ones.")
    defaults = Defaults(
        required=False, help_text="The values of placeholders that a send leaves out. They replace the stored ones."
    )
    language = LanguageCode(required=False, help_text="The language code of the text, such as `en`.")
    translations = Translations(
        required=False, help_text="The text in further languages. They replace the stored ones."
    )
    files = Files(
        required=False,
        help_text="Fixed files by placeholder, each in the form of a file of a send. For emails only.",
    )
    note = Text(
        required=False, max_length=MAX_NOTE_CHARACTERS, help_text="A note for the new version. Only staff see it."
    )

    def request(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return `fields`, named as in a definition, and the other properties."""
        others: dict[str, Any] = {name: values.pop(name) for name in _OTHERS if name in values}
        if "body" in values:
            values["content"] = values.pop("body")
        return {"fields": values, **others}


class NewTemplateSerializer(ChangingSerializer):
    """A template to create. An email needs a subject."""

    order = (
        *("name", "type", "subject", "body", "unsubscribe_link", "respect_quiet_hours", "redact_personalisation"),
        *("tags", "defaults", "language", "translations", "files", "note"),
    )

    type = Word(choices=Channel.values, help_text="The channel. It cannot be changed.")


class TemplateChangeSerializer(ChangingSerializer):
    """The properties to change. Omitted properties stay as they are."""

    order = (
        *("name", "subject", "body", "unsubscribe_link", "respect_quiet_hours", "redact_personalisation", "archived"),
        *("tags", "defaults", "language", "translations", "files", "note", "state", "breaks_calls"),
    )

    name = Text(required=False, help_text="The name. Recipients never see it.")
    body = Text(required=False, help_text="The text with its placeholders. It is stored exactly as given.")
    files = Files(
        required=False,
        removes=True,
        help_text=(
            "Fixed files by placeholder, each in the form of a file of a send. null removes a file; other files stay. "
            "A change of files takes effect at once and makes no version. For emails only."
        ),
    )
    archived = Flag(required=False, help_text="true: sends with this template are refused. false: restores it.")
    state = Word(
        required=False,
        choices=[state.value for state in STATES],
        help_text=(
            "`published`, the default: the text is used at once. `test`: test keys use it. `draft`: test keys can "
            "name it. Without a new text, `published` and `test` publish the draft."
        ),
    )
    breaks_calls = Flag(
        required=False, help_text="true: publish the text although some calls do not send its new placeholders."
    )

    def request(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return `fields`, and `how` the text is published: None if the request names no state."""
        given = super().request(values)
        how = Publication(
            state=VersionState(given.get("state", VersionState.PUBLISHED)),
            may_break=given.get("breaks_calls", False),
            note=given.get("note", ""),
        )
        return {**given, "how": how, "names_state": "state" in given}


class UnpublishedText(serializers.Serializer[TemplateVersion]):
    version = serializers.IntegerField(min_value=1, source="number")
    state = serializers.ChoiceField(
        choices=[VersionState.DRAFT.value, VersionState.TEST.value],
        help_text="`draft`, or `test` if test keys use it without naming it.",
    )
    name = serializers.CharField()
    subject = serializers.CharField(allow_null=True, help_text="null for a text message.")
    body = serializers.CharField(source="content")
    unsubscribe_link = serializers.BooleanField()
    defaults = serializers.DictField(child=serializers.CharField())
    language = serializers.CharField()
    translations = serializers.SerializerMethodField()

    @extend_schema_field(Translation(many=True))
    def get_translations(self, version: TemplateVersion) -> list[dict[str, str | None]]:
        return translations_of(version)


class ManagedTemplateSerializer(TemplateSerializer):
    """A template with all its properties and the text of its published version."""

    unsubscribe_link = serializers.BooleanField()
    respect_quiet_hours = serializers.BooleanField()
    redact_personalisation = serializers.BooleanField()
    archived = serializers.BooleanField(help_text="true: sends with this template are refused.")
    tags = serializers.ListField(child=serializers.CharField())
    defaults = serializers.DictField(child=serializers.CharField(), help_text="Values that a send may leave out.")
    language = serializers.CharField(help_text="The language code of the text.")
    translations = Translation(many=True, help_text="The text in further languages.")
    files = serializers.DictField(child=StoredFile(), help_text="The fixed files, by placeholder.")
    unpublished = UnpublishedText(allow_null=True, help_text="The draft, else the text for test keys, else null.")

    def to_representation(self, version: TemplateVersion) -> dict[str, object]:
        template, newest = version.template, version.template.newest()
        return {
            **super().to_representation(version),
            "unsubscribe_link": version.unsubscribe_link,
            "respect_quiet_hours": template.respect_quiet_hours,
            "redact_personalisation": template.redact_personalisation,
            "archived": template.archived_at is not None,
            "tags": template.tag_names(),
            "defaults": version.defaults,
            "language": version.language,
            "translations": translations_of(version),
            "files": files_of(template),
            "unpublished": UnpublishedText(newest).data if newest.is_unpublished else None,
        }
