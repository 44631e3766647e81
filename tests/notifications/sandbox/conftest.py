"""Fixtures of the sandbox's tests."""

import json

import pytest


class SandboxCaller:
    """Calls the sandbox API with SANDBOX_TOKEN."""

    def __init__(self, client):
        self._client = client

    def __call__(self, method, path, body=None):
        data = "" if body is None else json.dumps(body)
        return self._client.generic(method, f"/sandbox/api/{path}", data, content_type="application/json")


@pytest.fixture
def call(client, settings, db):
    settings.SANDBOX_TOKEN = "open-sesame"
    client.defaults |= {"HTTP_AUTHORIZATION": "Bearer open-sesame", "REMOTE_ADDR": "198.51.100.1"}
    return SandboxCaller(client)
