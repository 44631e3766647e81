"""`manage.py try data` against the running service."""

import json

import pytest
from django.core.management import CommandError

from datasets.management.tries import try_data
from tests.servers import free_port
from tests.service import Service


@pytest.fixture(scope="module")
def token(service: Service) -> str:
    declared = {"group": "demo", "type": "visits", "tokens": [{"scopes": ["write"]}]}
    done = service.manage("provision", "-", input=json.dumps({"data_sets": [declared]}))
    made = json.loads(done.stdout)["data_sets"][0]["tokens"][0]
    assert "token" in made, "this data set belongs to this test alone"
    return made["token"]


def test_it_writes_one_record(service, token):
    assert try_data(service.url, {"DATA_TOKEN": token}).startswith("Wrote one record to demo/visits.")


def test_an_error_is_shown_with_the_text_of_the_service(service, token):
    with pytest.raises(CommandError, match="401: The access token is not valid"):
        try_data(service.url, {"DATA_TOKEN": "ds_" + "x" * 43})


def test_without_a_service_the_error_has_a_fix():
    with pytest.raises(CommandError, match="Start it with `make run`"):
        try_data(f"http://127.0.0.1:{free_port()}", {"DATA_TOKEN": "x"})
