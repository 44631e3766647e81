"""Bare views: one INSERT of a JSON body, one SELECT by primary key, and the queries of a call of the product."""

import json
import uuid

from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from benchmarks.floor import replay, viewset
from benchmarks.floor.server import INSERT, SELECT


def post(request: HttpRequest) -> HttpResponse:
    value = json.loads(request.body)
    identifier = uuid.uuid4()
    with connection.cursor() as cursor:
        cursor.execute(INSERT, [identifier, value["template_id"], json.dumps(value["personalisation"])])
    return JsonResponse({"id": str(identifier), "reference": value.get("reference")}, status=201)


def queries(request: HttpRequest) -> HttpResponse:
    value = json.loads(request.body or b"{}")
    replay.replay()
    return JsonResponse({"id": str(uuid.uuid4()), "fields": len(value)}, status=201)


def up(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def get(request: HttpRequest, identifier: uuid.UUID) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute(SELECT, [identifier])
        found, created_at, template, body = cursor.fetchone()
    return JsonResponse({"id": str(found), "created_at": created_at, "template": template, "body": body})


urlpatterns = [
    path("floor", post),
    path("floor/queries", queries),
    path("floor/viewset", viewset.Texts.as_view({"post": "create"})),
    path("floor/up", up),
    path("floor/<uuid:identifier>", get),
]
