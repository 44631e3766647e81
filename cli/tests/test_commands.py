"""The command line against a running service: what it prints, its exit codes, and bad use."""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from signalbox.commands import profiles, running

from tests.conftest import EMAIL_TEMPLATE, KEY, SMS_TEMPLATE, URL, in_hours
from tests.servers import serve


def test_an_email_is_sent_found_and_waited_for(invoke):
    to = f"ana-{uuid.uuid4().hex}@example.org"

    sent = invoke(
        *("send", "email", "--to", to, "--template", EMAIL_TEMPLATE, "--value", "name=Ana"),
        *("--value", "items=a passport", "--value", "items=a photo", "--reference", to, "--json"),
    ).json
    waited = invoke("sandbox", "wait", "--to", to, "--contains", "a photo")
    found = invoke("--json", "messages", "list", "--reference", to).json
    one = invoke("messages", "get", sent["id"])

    assert (waited.code, waited.out.splitlines()[0]) == (0, "Your visit is booked, Ana")
    assert [message["id"] for message in found] == [sent["id"]]
    assert f"reference: {to}" in one.out


def test_a_text_is_sent_with_values_of_a_file(invoke, tmp_path):
    (tmp_path / "values.json").write_text('{"code": "4711"}')

    done = invoke(
        "send", "sms", "--to", "07700 900123", "--template", SMS_TEMPLATE, "--values", tmp_path / "values.json"
    )

    assert (done.code, done.out[:10]) == (0, "Sent text ")


def test_a_dry_run_names_what_is_missing_and_fails(invoke):
    done = invoke("send", "email", "--to", "a@example.org", "--template", EMAIL_TEMPLATE, "--dry-run")

    assert done.code == 1
    assert "Missing personalisation: name, items" in done.out


def test_a_preview_shows_the_text(invoke):
    assert invoke("preview", SMS_TEMPLATE, "--value", "code=4711").out == "Your gate code is 4711.\n"


def test_a_bulk_send_is_started_changed_and_read(invoke, tmp_path):
    (tmp_path / "people.csv").write_text("email address,name,items\nana@example.org,Ana,a passport\n")

    made = invoke(
        "bulk", "send", tmp_path / "people.csv", "--template", EMAIL_TEMPLATE, "--at", in_hours(1), "--json"
    ).json
    identifier = made["data"]["id"]

    assert "Rows that wait: 1" in invoke("bulk", "status", identifier).out
    assert invoke("bulk", "pause", identifier).out == "The bulk send is paused.\n"
    assert invoke("bulk", "resume", identifier).code == 0
    assert invoke("bulk", "cancel", identifier).out == "The bulk send is cancelled.\n"
    assert invoke("bulk", "results", identifier).out.splitlines()[1].startswith("2,cancelled,ana@example.org")


def test_records_are_imported_asked_for_and_exported(invoke, tmp_path):
    (tmp_path / "visits.csv").write_text("_timestamp,_id,count\n2026-11-20T09:00:00Z,a,1\n2026-11-20T10:00:00Z,b,2\n")

    assert invoke("data", "empty", "demo/visits", "--yes").out == "demo_visits now contains 0 records\n"
    assert invoke("data", "import", "demo/visits", tmp_path / "visits.csv").out == "2 records are stored.\n"
    line = '{"_timestamp": "2026-11-20T11:00:00Z", "_id": "c", "count": 4}\n'
    assert invoke("data", "write", "demo/visits", text=line).code == 0
    rows = invoke("data", "query", "demo/visits", "sort_by=count:descending", "limit=2", "--json").json
    assert [row["count"] for row in rows] == [4, 2]
    assert invoke("data", "export", "demo/visits", tmp_path / "all.ndjson").code == 0
    assert [json.loads(one)["_id"] for one in (tmp_path / "all.ndjson").read_text().splitlines()] == ["a", "b", "c"]


def test_one_record_is_read_changed_and_deleted(invoke):
    invoke("data", "empty", "demo/visits", "--yes")
    records = '[{"_timestamp": "2026-11-20T09:00:00Z", "_id": "a/b:é", "count": 1, "page": "/start"}]'
    invoke("data", "write", "demo/visits", text=records)

    assert invoke("records", "get", "demo/visits", "a/b:é", "--json").json["count"] == 1
    changed = '{"_timestamp": "2026-11-20T09:00:00Z", "count": 2, "page": "/start"}'
    done = invoke("records", "change", "demo/visits", "a/b:é", "--reason", "counted twice ✓", text=changed)
    assert done.out == "a/b:é is changed.\n"
    assert invoke("records", "get", "demo/visits", "a/b:é", "--json").json["count"] == 2
    found = invoke("records", "get", "demo/visits", "a/b:é", "--etag", "--json").json
    again = ("records", "change", "demo/visits", "a/b:é", "--if-match", found["etag"])
    assert (found["record"]["count"], invoke(*again, text=changed).code) == (2, 0)
    for stale in (invoke(*again, text=changed), invoke("records", "delete", *again[2:], "--yes")):
        assert (stale.code, stale.err.splitlines()[:2]) == (
            1,
            [
                "The record has changed since you read it.",
                "Read the record again, and send its `ETag` in `If-Match`.",
            ],
        )
    where = ("records", "delete-where", "demo/visits", "count = 2")
    assert invoke(*where, "--dry-run").out == "1 record matches.\n"
    assert invoke("records", "delete", "demo/visits", "a/b:é", "--yes").out == "a/b:é is deleted.\n"
    assert invoke(*where, "--yes").out == "0 records are deleted.\n"
    gone = invoke("records", "get", "demo/visits", "a/b:é")
    assert (gone.code, gone.err.splitlines()[0]) == (1, "There is no record with this _id.")
    assert invoke("records", "change", "demo/visits", "x", text="{").err.startswith("Standard input is not JSON")


def test_an_emptying_is_undone_and_a_schema_is_given(invoke):
    invoke("data", "empty", "demo/visits", "--yes")
    invoke("data", "write", "demo/visits", text='{"_timestamp": "2026-11-20T09:00:00Z", "count": 1}')
    invoke("data", "empty", "demo/visits", "--yes")

    assert invoke("data", "undo", "demo/visits").out == "demo_visits contains 1 record again\n"
    given = invoke("data", "set-schema", "demo/visits", "--mode", "off", text='{"required": ["count"]}')
    assert given.out == "demo/visits has the schema.\n"
    assert json.loads(invoke("data", "schema", "demo/visits").out)["required"] == ["count"]
    assert invoke("data", "set-schema", "demo/visits", "--mode", "x", text="{}").code == 1


def test_a_file_is_imported_with_settings_and_its_rejected_rows_are_printed(invoke, tmp_path):
    invoke("data", "empty", "demo/visits", "--yes")
    (tmp_path / "visits.csv").write_text("day;count\n20.11.2026;1,5\nlater;2\n")
    settings = {"decimal": ",", "delimiter": ";", "columns": {"day": {"to": "_timestamp"}}}
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    start = ("imports", "start", "demo/visits", tmp_path / "visits.csv", "--settings", tmp_path / "settings.json")

    found = invoke(*start, "--wait", "--json")

    assert (found.code, found.json["state"], found.json["rows"]["stored"]) == (0, "finished", 1), found.json
    assert "later" in invoke("imports", "rejected", "demo/visits", found.json["id"]).out
    assert found.json["id"] in invoke("imports", "list", "demo/visits").out
    assert invoke("imports", "get", "demo/visits", found.json["id"], "--json").json["file"]["name"] == "visits.csv"
    again = invoke("imports", "cancel", "demo/visits", found.json["id"])
    assert (again.code, again.err.splitlines()[0]) == (1, "The import is finished.")
    (tmp_path / "settings.json").write_text("[]")
    assert invoke(*start).code == 1


def test_a_saved_query_is_listed_and_run(invoke):
    assert [one["id"] for one in invoke("queries", "list", "--json").json] == ["demoVisitsWeekly"]
    assert invoke("queries", "run", "demoVisitsWeekly", "--json").json["unit"] == "visits"
    assert invoke("queries", "run", "noSuchQuery12345").code == 1


def test_templates_are_pulled_changed_and_pushed(invoke, tmp_path):
    folder = tmp_path / "templates"
    assert invoke("templates", "pull", folder).code == 0
    assert invoke("templates", "diff", folder).out == "No differences.\n"
    name = f"Tides {uuid.uuid4().hex[:8]}"
    new = folder / "tides.md"
    new.write_text(f'---\nname: "{name}"\ntype: "sms"\n---\nHigh water at ((time))\n')

    differs = invoke("templates", "diff", folder)
    pushed = invoke("templates", "push", folder, "--yes", "--json")
    after = invoke("templates", "diff", folder)

    assert (differs.code, "+High water at ((time))" in differs.out) == (1, True)
    assert (pushed.code, pushed.json) == (0, {"pushed": [str(new)]})
    assert (after.code, 'id: "' in new.read_text()) == (0, True)
    new.write_text(new.read_text().replace("High water", "Low water"))
    assert invoke("templates", "push", folder, "--yes", "--draft").code == 0
    assert name in invoke("templates", "list", "--type", "sms").out


def test_a_file_that_is_no_template_stops_the_push(invoke, tmp_path):
    (tmp_path / "a.md").write_text("Dear ((name))")
    (tmp_path / "b.md").write_text("---\nname: Visit\n---\n")

    assert "is no template" in invoke("templates", "diff", tmp_path).err
    (tmp_path / "a.md").unlink()
    assert "line 2: 'name: Visit' is no field" in invoke("templates", "push", tmp_path, "--yes").err


def test_suppressions_need_another_key(invoke, tmp_path):
    (tmp_path / "list.csv").write_text("email\nana@example.org\n")

    assert invoke("suppressions", "list").code == 0
    assert invoke("suppressions", "add", "ana@example.org").err.startswith(
        "Can't change suppressions using a test API key"
    )
    assert invoke("suppressions", "remove", "ana@example.org").out == "0 suppressions are lifted.\n"
    imported = invoke("suppressions", "import", tmp_path / "list.csv")
    assert (imported.code, imported.out.splitlines()[1][:7]) == (1, "Line 2:")


def test_rules_and_outcomes(invoke):
    made = invoke("sandbox", "rules", "add", "hard-bounce", "--to", "*@fail.test", "--json").json

    assert "*@fail.test" in invoke("sandbox", "rules", "list").out
    assert invoke("sandbox", "rules", "remove", made["id"]).code == 0
    assert invoke("sandbox", "outcome", made["id"], "eaten").err.startswith("No result found")
    assert (
        invoke("sandbox", "clock", "--minutes", "1", "--service", KEY[-73:-37]).out == "The clock moved by 0:01:00.\n"
    )
    assert invoke("sandbox", "release", made["id"], "--to", "a@example.org").code == 1


def test_callbacks_go_to_a_local_program(invoke, client):
    hook = f"hook-{uuid.uuid4().hex}"
    with serve((202, {}, b"thanks")) as (program, script):
        arguments = ["callbacks", "listen", "--to", program, "--hook", hook, "--seconds", "1", "--json"]
        command = [sys.executable, "-m", "signalbox", *arguments]
        listening = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert hook in listening.stderr.readline()
        client._http.post(f"/sandbox/hooks/{hook}", json={"id": 1})
        out, _ = listening.communicate(timeout=20)

    assert script.asked[0][3] == b'{"id":1}'
    result = json.loads(out)
    assert (result["signature"], result["answer"]) == ("unknown", "202")


def test_the_openapi_document_is_printed(invoke):
    assert invoke("openapi").json["openapi"].startswith("3.1")


def test_messages_are_printed_as_they_are_sent(invoke, client):
    command = [sys.executable, "-m", "signalbox", "messages", "tail", "--type", "sms", "--seconds", "2", "--json"]
    tail = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert tail.stderr.readline() == "New messages appear here. Ctrl-C stops.\n"
    sent = client.send_sms_notification("07700 900123", SMS_TEMPLATE, {"code": "4711"})
    out, _ = tail.communicate(timeout=20)

    assert sent["id"] in out


def test_a_login_keeps_secrets_in_the_keyring_alone(invoke, monkeypatch):
    done = invoke("--profile", "test", "--url", URL, "login", "--stdin", text=f"{KEY}\n")
    monkeypatch.delenv("NOTIFY_API_KEY")
    monkeypatch.delenv("SIGNALBOX_URL")

    assert done.code == 0
    assert KEY not in profiles.file().read_text() + done.out + done.err
    assert profiles.file().stat().st_mode & 0o777 == 0o600
    assert invoke("--profile", "test", "templates", "list").code == 0
    assert invoke("--profile", "test", "logout").code == 0
    assert "There is no profile test" in invoke("--profile", "test", "templates", "list").err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--url", "http://127.0.0.1:1", "templates", "list"], 3),
        (["--url", "nowhere", "templates", "list"], 1),
        (["templates", "list", "--colour"], 2),
        (["fly"], 2),
        (["send", "email", "--to", "a@example.org"], 2),
        (["send", "email", "--to", "a@example.org", "--template", "x", "--value", "novalue"], 2),
        (["messages", "get", "00000000-0000-0000-0000-000000000000"], 1),
        (["data", "query", "demo/visits", "colour=blue"], 1),
        (["data", "query", "demo/nothing"], 1),
        (["data", "import", "demo/visits", "/no/such/file.csv"], 1),
        (["data", "export", "demo/visits", "x.xlsx"], 2),
        (["data", "export", "demo/visits", "/no/such/folder/x.csv"], 1),
        (["bulk", "send", "/no/such/file.csv", "--template", "x"], 1),
        (["templates", "push", "/no/such/folder"], 1),
    ],
)
def test_bad_use_is_a_sentence_and_an_exit_code(invoke, arguments, code):
    done = invoke(*arguments)

    assert done.code == code
    assert done.err
    assert "Traceback" not in done.err
    assert KEY[-36:] not in done.err + done.out


NOT_UTF8, DEEP = b"\xff\xfe\x00", b"[" * 100_000
COMMANDS_WITH_FILES = [
    ["data", "import", "demo/visits", "FILE"],
    ["bulk", "send", "FILE", "--template", EMAIL_TEMPLATE, "--dry-run"],
    ["send", "email", "--to", "a@example.org", "--template", EMAIL_TEMPLATE, "--dry-run", "--values", "FILE"],
    ["imports", "start", "demo/visits", "/dev/null", "--settings", "FILE"],
    ["templates", "diff", "FOLDER"],
]
WRONG_FILES = {"not UTF-8": (".csv", NOT_UTF8), "nested": (".json", DEEP), "NaN": (".json", b'[{"a":NaN}]')}
WRONG_FILES |= {"cut off": (".ndjson", b'{"a":1}\n{"a":'), "NUL": (".csv", b"email address\n\0\n")}
WRONG_FILES |= {"long": (".json", b'{"name":' + b"9" * 5000 + b"}"), "a NaN": (".json", b'{"name":NaN}')}


@pytest.mark.parametrize(("ending", "content"), WRONG_FILES.values(), ids=WRONG_FILES)
def test_a_wrong_file_is_a_sentence_for_every_command(invoke, tmp_path, ending, content):
    file = tmp_path / f"a{ending}"
    file.write_bytes(content)
    (tmp_path / "a.md").write_bytes(content)

    for command in COMMANDS_WITH_FILES:
        done = invoke(*({"FILE": file, "FOLDER": tmp_path}.get(one, one) for one in command))

        assert (done.code, bool(done.err or done.out), "not as expected" in done.err) == (1, True, False), command


ANSWERS = {
    "a page": (200, {"Content-Type": "text/html"}, b"<html>\x1b[31mlog in"),
    "cut off": (200, {}, b'{"templates":[{"id"'),
    "a list": (200, {}, []),
    "another service": (200, {}, {"hello": "world"}),
    "a redirect": (301, {"Location": "https://elsewhere.example/"}, b""),
    "no gzip": (200, {"Content-Encoding": "gzip"}, b"no gzip"),
    "an unknown error": (400, {}, {"errors": "x", "status": 3}),
    "forbidden": (403, {}, b"<html>"),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_that_is_not_of_signalbox_is_a_sentence_and_leaves_no_file(invoke, tmp_path, answer):
    exported = tmp_path / "all.csv"
    with serve(answer) as (url, _):
        for command in (["templates", "list"], ["queries", "list"], ["data", "export", "demo/visits", exported]):
            done = invoke("--url", url, *command)

            is_export = command[1] == "export" and answer[1] == {} and answer[0] == 200  # any bytes may be CSV
            assert (done.code in (1, 3), bool(done.err), "\x1b" in done.err) == (not is_export, not is_export, False)
            assert list(tmp_path.rglob("*.part")) == []


def test_a_redirect_is_not_followed_and_named(invoke):
    with serve(ANSWERS["a redirect"]) as (url, script):
        done = invoke("--url", url, "templates", "list")

    assert "301 Moved Permanently" in done.err
    assert "https://elsewhere.example/" in done.err
    assert len(script.asked) == 1


def test_a_wrong_key_is_refused_with_what_to_do(invoke, monkeypatch):
    monkeypatch.setenv("NOTIFY_API_KEY", f"{KEY[:-36]}00000000-0000-0000-0000-000000000000")

    done = invoke("templates", "list")
    as_json = invoke("templates", "list", "--json")

    assert (done.code, done.err.splitlines()[:2]) == (
        1,
        ["Invalid token: API key not found", "No active key matches this token. Copy the whole key again."],
    )
    assert json.loads(as_json.err)["docs"].endswith("#errors-api-key-not-found")


def test_a_missing_folder_is_named_as_it_was_given(invoke, tmp_path):
    target = tmp_path / "missing" / "visits.csv"

    assert invoke("data", "export", "demo/visits", target).err == f"{target}: No such file or directory\n"


def test_a_full_disk_leaves_no_file(invoke, tmp_path):
    target = tmp_path / "visits.csv"
    target.write_text("earlier")
    full = tmp_path / f".visits.csv.{os.getpid()}.part"
    full.symlink_to("/dev/full")

    done = invoke("data", "export", "demo/visits", target)

    assert (done.code, "No space left on device" in done.err) == (1, True)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["visits.csv"]
    assert target.read_text() == "earlier"


def test_a_refused_import_names_the_record_and_what_is_stored(invoke, tmp_path):
    file = tmp_path / "visits.ndjson"
    good = ('{"_timestamp": "2026-11-20T09:00:00Z", "_id": "' + str(n) + '"}' for n in range(1000))
    file.write_text("\n".join([*good, '{"_timestamp": "yesterday"}']))

    done = invoke("data", "import", "demo/visits", file)

    assert done.code == 1
    assert "record 0, _timestamp" in done.err
    assert "1000 records before it are stored." in done.err


def test_texts_of_strangers_do_not_control_the_terminal():
    assert running._cell("a\x1b[2Jb\r\u202ec") == "a [2Jb  c"


def test_the_page_of_the_command_line_is_that_of_the_help():
    """Write it again: python -m signalbox.commands.page > docs/cli.md"""
    page = Path(__file__).parents[2] / "docs" / "cli.md"
    done = subprocess.run([sys.executable, "-m", "signalbox.commands.page"], capture_output=True, text=True, check=True)

    assert page.read_text() == done.stdout


def test_every_command_has_an_example():
    from signalbox.commands import page

    assert [name for name, text in page.commands() if "Example: " not in text] == []
