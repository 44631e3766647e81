"""Create, read and change templates with a key that may manage them. Source: docs/reference/sending-api.md §17.5."""

from typing import Any

from rest_framework.request import Request

from config.rest.content import JSONResponse
from notifications import errors
from notifications.api.base import read_json
from notifications.api.fields import path_id
from notifications.api.templates.serializers import (
    ManagedTemplateSerializer,
    NewTemplateSerializer,
    TemplateChangeSerializer,
)
from notifications.api.views import TemplateViewSet
from notifications.models import Channel, Template
from notifications.submission.templates import editing, fixed_files
from notifications.submission.templates.changing import Editor
from notifications.template_definitions.definition import Definition


class ManagedTemplateViewSet(TemplateViewSet):
    """Change templates. Every key may list them, as TemplateViewSet does."""

    def create(self, request: Request) -> JSONResponse:
        self._check_key()
        values = self.checked(NewTemplateSerializer, read_json(self.environ))
        given = values["fields"]
        if given["type"] == Channel.SMS:
            _check_has_no_email_fields(given, values.get("files"))
        else:
            given = {"subject": "", **given}
        template = editing.add(
            self.service,
            Definition(**given),
            self._editor,
            note=values.get("note", ""),
            files=values.get("files", {}),
        )
        return self._shown(template, status=201)

    def read(self, request: Request, template_id: str) -> JSONResponse:
        self._check_key()
        return self._shown(editing.find(self.service, path_id("template_id", template_id)))

    def change(self, request: Request, template_id: str) -> JSONResponse:
        self._check_key()
        values = self.checked(TemplateChangeSerializer, read_json(self.environ))
        identifier = path_id("template_id", template_id)
        if editing.find(self.service, identifier).type == Channel.SMS:
            _check_has_no_email_fields(values["fields"], values.get("files"))
        template = editing.change(
            self.service,
            identifier,
            values["fields"],
            self._editor,
            values["how"],
            names_state=values["names_state"],
            files=values.get("files", {}),
        )
        return self._shown(template)

    def file(self, request: Request, template_id: str, file_id: str) -> JSONResponse:
        self._check_key()
        template = editing.find(self.service, path_id("template_id", template_id))
        found = fixed_files.read(template, path_id("file_id", file_id))
        if found is None:
            raise errors.NoResultFound
        return JSONResponse(found)

    def _shown(self, template: Template, *, status: int = 200) -> JSONResponse:
        version = template.published()
        version.template = template
        return JSONResponse(ManagedTemplateSerializer().to_representation(version), status=status)

    def _check_key(self) -> None:
        if not self.api_key.manages_templates:
            raise errors.TemplatesNotManaged

    @property
    def _editor(self) -> Editor:
        return Editor(actor=self.actor, author=self.api_key.name)


def _check_has_no_email_fields(given: dict[str, Any], files: object) -> None:
    """Raise InvalidRequest if properties of an email are given for a text message."""
    found = [
        errors.TemplateInvalid(name=name, reason="This is for emails only.")
        for name, value in {**given, "files": files}.items()
        if name in ("subject", "unsubscribe_link", "files") and value
    ]
    if found:
        raise errors.InvalidRequest(found)
    given.pop("subject", None)
