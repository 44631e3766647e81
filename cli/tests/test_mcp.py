"""The server for assistants, with the client of the official SDK: what it may do, and what it never returns."""

import asyncio
import json
import os
import subprocess
import sys

import pytest
from mcp import Client, StdioServerParameters
from signalbox import Signalbox, mcp_server

from tests.conftest import DATA_TOKEN, EMAIL_TEMPLATE, KEY, URL, VALUES
from tests.servers import serve

LIVE = {"type": "live"}
LINK = f"https://example.org/d/{'A' * 22}?key={'B' * 43}"


def call(server, name, **arguments):
    """Call one tool, and return whether it failed and its text."""

    async def use():
        async with Client(server) as client:
            result = await client.call_tool(name, arguments)
            return bool(result.is_error), "\n".join(part.text for part in result.content)

    return asyncio.run(use())


@pytest.fixture
def server(client):
    return mcp_server.build(client)


def test_a_message_is_previewed_sent_and_found(server):
    _, shown = call(server, "preview_message", template_id=EMAIL_TEMPLATE, personalisation=VALUES)
    _, sent = call(
        server,
        "send_message",
        to="ana@example.org",
        template_id=EMAIL_TEMPLATE,
        personalisation=VALUES,
        reference="mcp",
    )
    failed, found = call(server, "find_message", message_id=json.loads(sent)["id"])

    assert "Your visit is booked, Ana" in shown
    assert (failed, '"reference": "mcp"' in found.replace('":"', '": "')) == (False, True)


def test_a_data_set_is_asked(server, visits):
    visits.write([{"_timestamp": "2026-11-20T09:00:00Z", "count": 42}])

    _, rows = call(server, "query_data_set", data_set="demo/visits")

    assert "42" in rows


def test_a_draft_stays_a_draft(server, client):
    made = client.create_template(name=f"Draft {os.getpid()}", type="sms", body="High water")

    failed, _ = call(server, "draft_template", template_id=made["id"], body="Low water")

    assert not failed
    assert (client.get_template(made["id"])["body"], client.get_template(made["id"])["version"]) == ("High water", 1)
    assert client.get_managed_template(made["id"])["unpublished"]
    client.update_template(made["id"], archived=True)


def test_an_error_has_its_fix_and_no_secret(server):
    failed, text = call(server, "send_message", to="ana@example.org", template_id=EMAIL_TEMPLATE)

    assert failed
    assert "Missing personalisation: name, items" in text
    assert KEY[-36:] not in text


def test_results_hold_no_secrets(server, visits):
    visits.write(
        [
            {
                "_timestamp": "2026-11-20T09:00:00Z",
                "key": KEY,
                "token": DATA_TOKEN,
                "hook": "whsec_" + "C" * 32,
                "link": LINK,
            }
        ]
    )

    _, rows = call(server, "query_data_set", data_set="demo/visits")

    assert rows.count("[secret]") == 4
    for secret in (KEY[-36:], DATA_TOKEN, "C" * 32, "B" * 43):
        assert secret not in rows


def test_a_live_key_is_refused_at_the_start_and_at_each_send():
    team = {"type": "team"}
    with serve((200, {}, LIVE)) as (url, script):
        with pytest.raises(mcp_server.LiveKeyRefused):
            mcp_server.build(Signalbox(url, KEY))
        assert mcp_server.build(Signalbox(url, KEY), allow_live=True)
    with serve((200, {}, team), (200, {}, LIVE)) as (url, script):
        server = mcp_server.build(Signalbox(url, KEY))
        failed, text = call(server, "send_message", to="a@example.org", template_id=EMAIL_TEMPLATE)

    assert (failed, "--allow-live" in text) == (True, True)
    assert all(method == "GET" for method, *_ in script.asked)


def test_the_command_serves_the_protocol():
    variables = {name: value for name, value in os.environ.items() if name != "SIGNALBOX_KEY"}
    command = StdioServerParameters(command=sys.executable, args=["-m", "signalbox", "mcp"], env=variables)

    async def tools():
        async with Client(command) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert asyncio.run(tools()) == {
        *("list_templates", "preview_message", "send_message", "find_message", "query_data_set", "draft_template")
    }


def test_the_command_refuses_a_live_key():
    with serve((200, {}, LIVE)) as (url, _):
        environment = {**os.environ, "SIGNALBOX_URL": url}
        command = [sys.executable, "-m", "signalbox", "mcp"]
        done = subprocess.run(command, env=environment, input="", capture_output=True, text=True, timeout=30)

    assert (done.returncode, "live key" in done.stderr) == (1, True)
    assert URL not in done.stderr
