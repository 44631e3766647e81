"""The OpenAPI document is valid, complete, and matches the code."""

import re

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from openapi_spec_validator.shortcuts import OpenAPIV31SpecValidator

from config.docs.document import document, generate
from config.docs.parts import parts
from datasets.queries import parameters
from datasets.records.names import is_field_name
from notifications.api import queries
from notifications.api.serializers import EmailSerializer, TextMessageSerializer
from tests import forks

METHODS = {"delete", "get", "patch", "post", "put"}
OPERATIONS = [
    (path, method, operation)
    for path, methods in document()["paths"].items()
    for method, operation in methods.items()
    if method in METHODS
]


def test_the_document_is_valid():
    validate(document(), cls=OpenAPIV31SpecValidator)


def test_it_is_generated_without_a_warning(capfd):
    generate()

    assert capfd.readouterr().err == ""


def test_concurrent_threads_all_get_the_document(tmp_path):
    """In a separate process, because a loaded generator would hide the problem."""
    program = """if True:
        import django
        from concurrent.futures import ThreadPoolExecutor
        django.setup()
        from config.docs.document import document
        with ThreadPoolExecutor(8) as pool:
            print(len({id(asked.result()) for asked in [pool.submit(document) for _ in range(8)]}))
    """
    assert forks.output_of(program, tmp_path).strip() == "1"


def test_it_is_served(client):
    answer = client.get("/docs/openapi.json")

    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == document()
    assert client.post("/docs/openapi.json").status_code == 405


def test_every_operation_of_both_areas_is_in_it():
    assert {(method, path) for path, method, _ in OPERATIONS} == {
        ("post", "/v2/notifications/sms"),
        ("post", "/v2/notifications/email"),
        ("get", "/v2/notifications"),
        ("get", "/v2/notifications/scheduled"),
        ("post", "/v2/notifications/bulk"),
        ("get", "/v2/notifications/bulk"),
        ("get", "/v2/notifications/bulk/{bulk_send_id}"),
        ("patch", "/v2/notifications/bulk/{bulk_send_id}"),
        ("get", "/v2/notifications/bulk/{bulk_send_id}/rows"),
        ("post", "/v2/notifications/bulk/{bulk_send_id}/pause"),
        ("post", "/v2/notifications/bulk/{bulk_send_id}/resume"),
        ("post", "/v2/notifications/bulk/{bulk_send_id}/cancel"),
        ("post", "/v2/notifications/bulk/{bulk_send_id}/retry-failed"),
        ("get", "/v2/notifications/{notification_id}"),
        ("patch", "/v2/notifications/{notification_id}"),
        ("post", "/v2/notifications/{notification_id}/cancel"),
        ("get", "/v2/templates"),
        ("post", "/v2/templates"),
        ("get", "/v2/templates/{template_id}"),
        ("patch", "/v2/templates/{template_id}"),
        ("get", "/v2/templates/{template_id}/files/{file_id}"),
        ("get", "/v2/template/{template_id}"),
        ("get", "/v2/template/{template_id}/version/{number}"),
        ("post", "/v2/template/{template_id}/preview"),
        ("get", "/v2/api-key"),
        ("get", "/v2/received-text-messages"),
        ("get", "/v2/unsubscribe-requests"),
        ("get", "/v2/suppressions"),
        ("post", "/v2/suppressions"),
        ("post", "/v2/suppressions/search"),
        ("get", "/v2/suppressions/{suppression_id}"),
        ("delete", "/v2/suppressions/{suppression_id}"),
        ("post", "/data/{group}/{type}"),
        ("put", "/data/{group}/{type}"),
        ("post", "/data/{group}/{type}/undo"),
        ("delete", "/data/{group}/{type}/records"),
        ("get", "/data/{group}/{type}/schema"),
        ("put", "/data/{group}/{type}/schema"),
        ("get", "/data/{group}/{type}/records/{record_id}"),
        ("put", "/data/{group}/{type}/records/{record_id}"),
        ("delete", "/data/{group}/{type}/records/{record_id}"),
        ("post", "/data/{group}/{type}/imports"),
        ("get", "/data/{group}/{type}/imports"),
        ("get", "/data/{group}/{type}/imports/{id}"),
        ("patch", "/data/{group}/{type}/imports/{id}"),
        ("delete", "/data/{group}/{type}/imports/{id}"),
        ("get", "/data/{group}/{type}/imports/{id}/rejected"),
        ("get", "/data/{group}/{type}"),
        ("get", "/queries"),
        ("get", "/queries/{public_id}.{form}"),
    }


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=lambda part: str(part)[:40])
def test_every_operation_has_its_authentication_and_errors(path, method, operation):
    assert operation["security"][0].keys() <= document()["components"]["securitySchemes"].keys()
    assert operation["description"]
    assert {"403", "500", "503"} <= operation["responses"].keys()
    for status, answer in operation["responses"].items():
        assert "X-Request-Id" in answer["headers"]
        for example in answer.get("content", {}).get("application/json", {}).get("examples", {}).values():
            assert int(status) >= 400
            assert example["summary"]
            assert example["description"]


@pytest.mark.parametrize(("name", "serializer"), [("TextMessage", TextMessageSerializer), ("Email", EmailSerializer)])
def test_the_description_of_a_request_matches_its_serializer(name, serializer):
    described = document()["components"]["schemas"][name]

    read = serializer().fields
    assert described["properties"].keys() == read.keys()
    assert sorted(described["required"]) == sorted(name for name, field in read.items() if field.required)
    assert described["additionalProperties"] is False


@pytest.mark.parametrize(
    ("path", "filters"),
    [
        ("/v2/notifications", queries.NOTIFICATION_FILTERS),
        ("/v2/templates", queries.TEMPLATE_FILTERS),
        ("/v2/received-text-messages", queries.RECEIVED_TEXT_FILTERS),
        ("/data/{group}/{type}", parameters.SINGLE | parameters.REPEATED),
    ],
)
def test_a_list_is_described_with_all_its_parameters(path, filters):
    described = document()["paths"][path]["get"]["parameters"]

    assert {one["name"] for one in described if one["in"] == "query"} == set(filters)


def test_every_error_of_an_operation_is_in_one_family():
    slugs = [error.slug for part in parts() for family in part.families.values() for error in family]
    documented = {error.slug for part in parts() for errors in part.errors.values() for error in errors}

    assert len(slugs) == len(set(slugs))
    assert all(re.fullmatch(r"[a-z0-9-]+", slug) for slug in slugs)
    assert documented <= set(slugs)


def test_the_body_of_a_preview_allows_unknown_properties():
    assert document()["components"]["schemas"]["PreviewValues"].get("additionalProperties") is not False


BODIES = {
    operation["operationId"]: operation["requestBody"] for _, _, operation in OPERATIONS if "requestBody" in operation
}


def _is_valid(operation_id, body):
    [content] = BODIES[operation_id]["content"].values()
    schema = {**content["schema"], "components": document()["components"]}
    return Draft202012Validator(schema).is_valid(body)


def test_every_body_is_required_that_an_operation_reads():
    assert [name for name, body in BODIES.items() if not body.get("required")] == ["previewTemplate"]


@pytest.mark.parametrize(
    ("operation_id", "body", "is_valid"),
    [
        ("addSuppression", {"email_address": "a@example.org"}, True),
        ("addSuppression", {"phone_number": "07700900123", "note": "x"}, True),
        ("addSuppression", {"email_address": "a@example.org", "phone_number": "07700900123"}, False),
        ("addSuppression", {"note": "x"}, False),
        ("findSuppressions", {}, False),
        ("findSuppressions", {"phone_number": "07700900123"}, True),
        ("sendBulk", {"template_id": "f163deaf-2d3f-4ec6-98fc-f23fa511518f", "name": "x", "csv": "a"}, True),
        ("sendBulk", {"template_id": "f163deaf-2d3f-4ec6-98fc-f23fa511518f", "name": "x"}, False),
        ("moveScheduledMessage", {}, False),
        ("moveBulkSend", {}, False),
        ("moveBulkSend", {"scheduled_for": None}, True),
        ("changeTemplate", {"language": "cy"}, True),
        ("changeTemplate", {"language": "zh-Hant"}, True),
        ("changeTemplate", {"language": "Welsh!"}, False),
        ("changeTemplate", {"translations": [{"language": "c", "subject": None, "body": "x"}]}, False),
        ("previewTemplate", {"language": "-"}, False),
    ],
)
def test_the_document_allows_the_bodies_that_the_service_takes(operation_id, body, is_valid):
    assert _is_valid(operation_id, body) is is_valid


@pytest.mark.parametrize("name", ["count", "1st class", "a:b", "%", "é", "_a", "a\tb", "", "x" * 128, "x" * 129, "_id"])
def test_it_has_the_rule_for_names_of_fields(name):
    schema = document()["paths"]["/data/{group}/{type}"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    records = next(one for one in schema.get("oneOf", [schema]) if one["type"] == "array")
    rule = records["items"]["propertyNames"]

    fits = re.search(rule["pattern"], name) is not None and len(name) <= rule["maxLength"]

    assert fits == (is_field_name(name) or name == "_id")
