"""The OpenAPI descriptions of the list of templates and of changing templates."""

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema

from notifications.api import lists, queries
from notifications.api.schema.describing import describe, path, read, words
from notifications.api.schema.operations import EMAIL_TEMPLATE, TEMPLATES
from notifications.api.templates import files, serializers

_ID = path("template_id", "The id of the template.", EMAIL_TEMPLATE)
_FILE_ID = "9f7bd53c-2ff1-4d0a-a4f0-5c1a7d3f9b10"
_ROW = serializers.ManagedTemplateSerializer
_NEW = {"name": "Visit", "type": "email", "subject": "Your visit", "body": "Dear ((name)), see you tomorrow."}
_CHANGE = {"body": "Dear ((name)), see you on ((day)).", "note": "the day", "state": "draft"}


describe(
    "templates.views.ManagedTemplateViewSet",
    list=read(
        "listTemplates",
        TEMPLATES,
        "List templates",
        lists.TemplatesSerializer,
        words("type", queries.TYPES, "The channel. There are no letters."),
        about="All templates of the service, except archived ones, in one response.",
    ),
    create=extend_schema(
        operation_id="createTemplate",
        tags=[TEMPLATES],
        summary="Create a template",
        description="Create a template and publish it. Only keys that may manage templates.",
        request={"application/json": serializers.NewTemplateSerializer},
        responses={201: OpenApiResponse(_ROW, description="The template is created.")},
        examples=[OpenApiExample("Example", _NEW, request_only=True)],
    ),
    read=read(
        "readManagedTemplate",
        TEMPLATES,
        "Read all properties of a template",
        _ROW,
        _ID,
        about="With its draft, if there is one. Only keys that may manage templates.",
    ),
    file=read(
        "readTemplateFile",
        TEMPLATES,
        "Read a fixed file of a template",
        files.WholeFile,
        _ID,
        path("file_id", "The id of the file.", _FILE_ID),
        about="With its content, in the form in which a template or a send takes a file. "
        "Only keys that may manage templates.",
    ),
    change=extend_schema(
        operation_id="changeTemplate",
        tags=[TEMPLATES],
        summary="Change, publish, archive or restore a template",
        description="Change the given properties. Only keys that may manage templates. "
        "A repeated call changes nothing.",
        request={"application/json": serializers.TemplateChangeSerializer},
        responses={200: OpenApiResponse(_ROW, description="The template after the change.")},
        parameters=[_ID],
        examples=[OpenApiExample("Example", _CHANGE, request_only=True)],
    ),
)
