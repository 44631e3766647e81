"""Accept a text message with Django REST framework, without the rules of the product.

Libraries check the signature, the shape of the body and the phone number. The view repeats the product's queries,
writes a log line and answers.
"""

import hashlib
import hmac
import json
import os
import sys
import time
import uuid
from base64 import urlsafe_b64decode
from typing import Any

import phonenumbers
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from benchmarks.floor import replay

_REGION = "GB"


class BySignature(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[str, None]:
        signed, _, signature = request.headers["Authorization"].removeprefix("Bearer ").rpartition(".")
        ours = hmac.digest(os.environ["KEY_SECRET"].encode(), signed.encode(), hashlib.sha256)
        if not hmac.compare_digest(ours, _decoded(signature)):
            raise AuthenticationFailed
        claims = json.loads(_decoded(signed.partition(".")[2]))
        return claims["iss"], None


class Text(serializers.Serializer[Any]):
    phone_number = serializers.CharField()
    template_id = serializers.UUIDField()
    personalisation = serializers.DictField()
    reference = serializers.CharField(required=False)

    def validate_phone_number(self, value: str) -> str:
        number = phonenumbers.parse(value, _REGION)
        if not phonenumbers.is_possible_number(number):
            raise serializers.ValidationError("not a number")
        return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


class Texts(ViewSet):
    authentication_classes = (BySignature,)
    permission_classes = ()
    parser_classes = (JSONParser,)
    renderer_classes = (JSONRenderer,)

    def create(self, request: Request) -> Response:
        began = time.perf_counter()
        text = Text(data=request.data)
        text.is_valid(raise_exception=True)
        replay.replay()
        body = f"Hi {text.validated_data['personalisation']['name']}, your table is ready."
        line = {"event": "request", "service_id": request.user, "status": 201, "ms": time.perf_counter() - began}
        print(json.dumps(line), file=sys.stderr)
        content = {"body": body, "from_number": "Bench"}
        return Response({"id": str(uuid.uuid4()), "reference": None, "content": content}, status=201)


def _decoded(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))
