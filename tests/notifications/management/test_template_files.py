"""`manage.py templates`: pull, diff, push and import. Source: docs/reference/template-files.md §2 to §4."""

import io
import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config import audit
from config.audit.models import AuditEvent
from notifications.attachments.intake import CheckedFile
from notifications.management.commands import templates as command
from notifications.management.template_files.other_service import OtherService, ReadFailed
from notifications.models import Service, Template, TemplateUse
from notifications.submission import ttl_cache
from notifications.submission.templates import fixed_files, use_counts
from tests.factories import make_service, make_template
from tests.notifications.attachments.samples import CSV, EICAR
from tests.notifications.calling import Caller, make_caller
from tests.notifications.template_definitions.test_files import TEXTS

pytestmark = pytest.mark.django_db

# Contents of several types and any bytes of text, under names of placeholders that look alike on disk.
FILES = st.dictionaries(
    st.sampled_from(["terms", "Terms 2", "terms-2", "map", "é", "a/b", ".."]),
    st.builds(
        CheckedFile,
        name=st.sampled_from(["terms.csv", "Terms.TXT", "a/b.csv", "… .txt"]),
        data=st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), min_size=1).map(str.encode)
        | st.sampled_from([CSV, b"a,b\r\n\r\n", b"---\n", b"\xef\xbb\xbfx"]),
        asks_for_email_address=st.booleans(),
        weeks=st.integers(1, 78),
    ),
    max_size=3,
)
_WORDS = ("name", "subject", "content", "unsubscribe_link", "defaults", "language", "translations")


def run(*args: object, typed: str = "", **options: Any) -> tuple[int, str]:
    """Run the command and return its exit code and its output."""
    out, code = io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO(typed))
        try:
            call_command("templates", *map(str, args), stdout=out, stderr=out, **options)
        except SystemExit as ended:
            code = int(str(ended.code))
    ttl_cache.clear()
    return code, out.getvalue()


def texts(service: Service) -> list[dict[str, Any]]:
    """Return all that defines the templates of a service, without their ids."""
    rows = Template.objects.filter(service=service).order_by("created_at")
    return [
        {
            **{name: getattr(row.published(), name) for name in _WORDS},
            "type": row.type,
            "tags": row.tag_names(),
            "files": fixed_files.stored(row),
            "options": (row.respect_quiet_hours, row.redact_personalisation, row.archived_at is not None),
        }
        for row in rows
    ]


@pytest.fixture
def service() -> Service:
    service = make_service(name="Parks")
    make_template(service, content="Dear ((name))\n", subject="Hi", name="Visit", unsubscribe_link=True)
    text = make_template(service, "sms", "Code ((code))", name="Visit", respect_quiet_hours=True)
    text.set_tags(["gates", "spring"])
    welsh = {"language": "cy", "subject": None, "content": "Cod ((code))\r\n---\n"}
    text.versions.update(defaults={"code": "–"}, translations=[welsh])
    return service


def test_what_is_pulled_does_not_differ_and_a_second_pull_writes_nothing(service: Service, tmp_path: Path) -> None:
    make_template(service, content="Old", name="Gone", archived_at=timezone.now())

    code, out = run("pull", tmp_path, service="Parks")

    email, sms = Template.objects.order_by("created_at")[:2]
    assert code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"visit.md", f"visit-{sms.pk}.md"}
    assert "2 written, 0 unchanged" in out
    assert f'id: "{email.pk}"' in (tmp_path / "visit.md").read_text()
    assert run("diff", tmp_path, service=str(service.pk)) == (0, "No template differs.\n")
    assert run("pull", tmp_path, service="Parks") == (0, "0 written, 2 unchanged\n")


def test_a_renamed_or_archived_template_keeps_its_file(service: Service, tmp_path: Path) -> None:
    run("pull", tmp_path, service="Parks")
    template = Template.objects.get(type="email")
    template.archived_at = timezone.now()
    template.save()
    template.versions.update(name="Renamed")

    run("pull", tmp_path, service="Parks")

    assert 'name: "Renamed"' in (tmp_path / "visit.md").read_text()
    assert "archived: true" in (tmp_path / "visit.md").read_text()
    assert len(list(tmp_path.iterdir())) == 2


def test_push_shows_the_difference_asks_and_publishes(service: Service, tmp_path: Path) -> None:
    run("pull", tmp_path, service="Parks")
    file = tmp_path / "visit.md"
    file.write_text(file.read_text().replace("Dear ((name))", "Hello ((name))\x1b[31m"))
    new = tmp_path / "new.md"
    new.write_text('---\nname: "Gate code"\ntype: "sms"\n---\nCode\n')

    declined = run("push", tmp_path, service="Parks", typed="n\n")
    assert declined[0] == 1
    assert "Nothing is changed." in declined[1]
    assert Template.objects.get(type="email").current_version == 1

    code, out = run("push", tmp_path, service="Parks", typed="y\n", note="warmer")

    assert code == 0
    assert "-Dear ((name))" in out
    assert "+Hello ((name))\\x1b[31m" in out
    assert "new.md: new template Gate code" in out
    version = Template.objects.get(type="email").published()
    assert (version.number, version.content, version.note) == (2, "Hello ((name))\x1b[31m\n", "warmer")
    made = Template.objects.get(name="Gate code")
    assert new.read_text().splitlines()[1] == f'id: "{made.pk}"'
    assert run("diff", tmp_path, service="Parks")[0] == 0
    events = AuditEvent.objects.filter(object_kind="template").values_list("verb", "actor_kind")
    assert sorted(events) == [("created", "command"), ("published", "command")]


def test_diff_has_its_own_exit_code_and_changes_nothing(service: Service, tmp_path: Path) -> None:
    run("pull", tmp_path, service="Parks")
    file = tmp_path / "visit.md"
    file.write_text(file.read_text().replace("archived: false", "archived: true"))

    code, out = run("diff", tmp_path, service="Parks")

    assert code == command.DIFFERENT
    assert "+archived: true" in out
    assert not Template.objects.exclude(archived_at=None).exists()
    assert run("push", tmp_path, service="Parks", ci=True)[0] == 0
    assert Template.objects.exclude(archived_at=None).exists()


def test_drafts_are_saved_on_request(service: Service, tmp_path: Path) -> None:
    run("pull", tmp_path, service="Parks")
    file = tmp_path / "visit.md"
    file.write_text(file.read_text().replace("Dear ((name))", "Hello ((other))"))

    assert run("push", tmp_path, service="Parks", ci=True, draft=True)[0] == 0

    template = Template.objects.get(type="email")
    assert (template.current_version, template.newest().state) == (1, "draft")
    assert run("push", tmp_path, service="Parks", ci=True, draft=True) == (0, "No template differs.\n")


def test_one_wrong_file_stops_everything(service: Service, tmp_path: Path) -> None:
    run("pull", tmp_path, service="Parks")
    file = tmp_path / "visit.md"
    file.write_text(file.read_text().replace('subject: "Hi"', 'subject: " "').replace("Dear", "Hello"))

    assert run("push", tmp_path, service="Parks", ci=True) == (1, f"{file}: subject: Enter a subject.\n")

    (tmp_path / "a.md").write_text("Hello")
    copy = tmp_path / "b.md"
    copy.write_text(file.read_text())
    assert run("push", tmp_path, service="Parks", ci=True) == (
        1,
        f"{tmp_path}/a.md: The first line must be ---.\n{file}: {copy} has the same id.\n",
    )
    assert Template.objects.get(type="email").current_version == 1
    assert run("diff", tmp_path, service="Nobody") == (1, "There is no such service.\n")
    assert run("diff", tmp_path / "none", service="Parks") == (1, f"{tmp_path}/none is not a folder.\n")


@pytest.fixture
def called(service: Service) -> Iterator[Caller]:
    """Return a caller that sent `name` but not `day` yesterday."""
    caller = make_caller(service)
    TemplateUse.objects.all().delete()
    with time_machine.travel(timezone.now() - timedelta(days=1), tick=False):
        template = Template.objects.get(type="email")
        sent = caller.send_email(template, personalisation={"name": "a"})
        assert sent.status_code == 201, sent.json()
    use_counts.store_pending()
    return caller


def test_changes_that_break_calls_need_a_second_yes_and_ci_refuses_them(
    called: Caller, service: Service, tmp_path: Path
) -> None:
    run("pull", tmp_path, service="Parks")
    for file in tmp_path.iterdir():
        file.write_text(file.read_text() + "((day))\n")
    words = f"BREAKS CALLS: {called.key.name} do not send day; yesterday 1 of 1 calls would have failed"

    code, out = run("push", tmp_path, service="Parks", ci=True)
    assert code == command.BREAKING
    assert words in out
    assert run("diff", tmp_path, service="Parks")[0] == command.BREAKING
    assert run("push", tmp_path, service="Parks", typed="\n")[0] == 1
    assert set(Template.objects.values_list("current_version", flat=True)) == {1}

    assert run("push", tmp_path, service="Parks", typed="yes\n")[0] == 0
    assert set(Template.objects.values_list("current_version", flat=True)) == {2}
    event = AuditEvent.objects.get(verb="published", object_id=str(Template.objects.get(type="email").pk))
    assert event.after["breaks_calls_without"] == ["day"]


def test_ci_publishes_changes_that_break_calls_only_with_its_option(
    called: Caller, service: Service, tmp_path: Path
) -> None:
    run("pull", tmp_path, service="Parks")
    file = tmp_path / "visit.md"
    file.write_text(file.read_text() + "((day))\n")

    assert run("push", tmp_path, service="Parks", ci=True, breaking=True)[0] == 0


def test_files_of_one_service_go_to_another(service: Service, tmp_path: Path) -> None:
    other = make_service(name="Trams")
    make_template(other, content="Old", subject="Hi", name="Visit")
    run("pull", tmp_path, service="Parks")

    assert run("push", tmp_path, service="Trams", ci=True)[0] == 0

    assert texts(other) == texts(service)
    assert run("diff", tmp_path, service="Parks")[0] == 0
    assert run("diff", tmp_path, service="Trams")[0] == 0


@pytest.fixture
def with_file(service: Service) -> Template:
    """Return the email of the service, with the text `Dear ((name)) ((terms))` and a file for `terms`."""
    Service.objects.filter(pk=service.pk).update(file_contact="help@example.org")
    template = Template.objects.get(type="email")
    template.versions.update(content="Dear ((name)) ((terms))")
    file = CheckedFile(name="Terms.csv", data=CSV, asks_for_email_address=False, weeks=10)
    fixed_files.put(template, {"terms": file}, audit.operator())
    return template


def contents(template: Template) -> dict[str, bytes]:
    template.refresh_from_db()
    return {name: file.data for name, file in fixed_files.stored(template).items()}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.usefixtures("with_file")
def test_fixed_files_are_pulled_into_a_folder_and_do_not_differ(tmp_path: Path) -> None:
    assert run("pull", tmp_path, service="Parks")[0] == 0

    assert (tmp_path / "visit" / "terms.csv").read_bytes() == CSV
    assert '"retention_period": "10 weeks"' in (tmp_path / "visit.md").read_text()
    assert run("diff", tmp_path, service="Parks") == (0, "No template differs.\n")
    assert run("pull", tmp_path, service="Parks")[1] == "0 written, 2 unchanged\n"


def test_push_shows_and_stores_a_changed_a_new_and_a_removed_file(with_file: Template, tmp_path: Path) -> None:
    run("pull", tmp_path, service="Parks")
    (tmp_path / "visit" / "terms.csv").write_bytes(b"new,text\n")

    assert run("diff", tmp_path, service="Parks") == (
        command.DIFFERENT,
        f"{tmp_path}/visit.md: changes Visit\n  file ((terms)): Terms.csv, 9 bytes\n",
    )
    assert run("push", tmp_path, service="Parks", ci=True)[0] == 0
    assert contents(with_file) == {"terms": b"new,text\n"}
    assert with_file.current_version == 1

    (tmp_path / "visit" / "own.txt").write_bytes(b"By bus")
    edit(tmp_path / "visit.md", "files: {", 'files: {"way": {"file": "own.txt", "filename": "way.txt"}, ')
    assert "  file ((way)): way.txt, 6 bytes\n" in run("push", tmp_path, service="Parks", ci=True)[1]
    assert contents(with_file) == {"terms": b"new,text\n", "way": b"By bus"}
    assert run("pull", tmp_path, service="Parks")[0] == 0
    assert {path.name for path in (tmp_path / "visit").iterdir()} == {"terms.csv", "own.txt"}

    lines = (tmp_path / "visit.md").read_text().splitlines(keepends=True)
    (tmp_path / "visit.md").write_text("".join(line for line in lines if not line.startswith("files")))
    assert run("push", tmp_path, service="Parks", ci=True)[1].splitlines()[-1] == (
        "files: Version 1 has the placeholder ((terms)). Publish a text without it first. Nothing is changed."
    )
    edit(tmp_path / "visit.md", " ((terms))", "")
    assert "  file ((terms)): removed\n" in run("push", tmp_path, service="Parks", ci=True)[1]
    assert contents(with_file) == {}
    verbs = AuditEvent.objects.filter(object_kind="template").values_list("verb", flat=True)
    assert sorted(verbs) == ["added_file"] * 3 + ["published"] + ["removed_file"] * 2


def test_pull_deletes_files_that_are_gone_and_only_those(with_file: Template, tmp_path: Path) -> None:
    run("pull", tmp_path, service="Parks")
    (tmp_path / "visit" / "notes.txt").write_text("mine")
    fixed_files.remove(with_file, "terms", audit.operator())

    run("pull", tmp_path, service="Parks")

    assert [path.name for path in (tmp_path / "visit").iterdir()] == ["notes.txt"]


def test_pull_writes_a_missing_file_again_and_push_names_it(with_file: Template, tmp_path: Path) -> None:
    run("pull", tmp_path, service="Parks")
    missing = tmp_path / "visit" / "terms.csv"
    missing.unlink()

    assert run("push", tmp_path, service="Parks", ci=True) == (1, f"{missing}: No such file or directory\n")
    assert contents(with_file) == {"terms": CSV}
    assert run("pull", tmp_path, service="Parks")[1].endswith("1 written, 1 unchanged\n")
    assert missing.read_bytes() == CSV


@pytest.mark.parametrize(
    ("data", "old", "new", "error"),
    [
        (EICAR, "", "", "files: terms: File did not pass the virus scan"),
        (b"", "", "", "files: terms: Document must not be empty"),
        (b"x" * 2 * 1024 * 1024, "", "", "files: terms: Uploaded file exceeds file size limit"),
        (CSV, '"Terms.csv"', '"Terms.exe"', "files: terms: Unsupported file type '.exe'"),
        (CSV, "10 weeks", "79 weeks", "files: terms: retention_period Unsupported value"),
        (CSV, '{"terms": ', '{"late??yes": ', "files: Enter the name of a placeholder"),
    ],
    ids=["virus", "empty", "size", "type", "weeks", "name"],
)
def test_a_wrong_file_stops_push(
    with_file: Template, tmp_path: Path, data: bytes, old: str, new: str, error: str
) -> None:
    run("pull", tmp_path, service="Parks")
    (tmp_path / "visit" / "terms.csv").write_bytes(data)
    edit(tmp_path / "visit.md", old, new)

    code, out = run("push", tmp_path, service="Parks", ci=True)

    assert code == 1
    assert out.startswith(f"{tmp_path}/visit.md: {error}")
    assert contents(with_file) == {"terms": CSV}


def test_push_reports_a_scanner_that_does_not_answer(with_file: Template, tmp_path: Path, settings: Any) -> None:
    run("pull", tmp_path, service="Parks")
    settings.SCANNER = "clamd:tcp:127.0.0.1:1"  # nothing answers there

    assert run("push", tmp_path, service="Parks", ci=True) == (0, "No template differs.\n")
    (tmp_path / "visit" / "terms.csv").write_bytes(b"new,text\n")
    assert run("push", tmp_path, service="Parks", ci=True) == (
        1,
        f"{tmp_path}/visit.md: files: The virus scanner does not answer. Try again in a few minutes.\n",
    )
    assert contents(with_file) == {"terms": CSV}


def test_files_need_a_contact_in_the_service_that_gets_them(with_file: Template, tmp_path: Path) -> None:
    make_service(name="Trams")
    run("pull", tmp_path, service="Parks")

    code, out = run("push", tmp_path, service="Trams", ci=True)

    assert code == 1
    assert "files: terms: Send files by email has not been set up" in out
    assert not Template.objects.filter(service__name="Trams").exists()


def test_a_file_in_another_spelling_of_its_placeholder_is_replaced(with_file: Template, tmp_path: Path) -> None:
    run("pull", tmp_path, service="Parks")
    edit(tmp_path / "visit.md", '{"terms": ', '{"TERMS": ')

    assert run("push", tmp_path, service="Parks", ci=True)[0] == 0
    assert contents(with_file) == {"TERMS": CSV}
    assert run("diff", tmp_path, service="Parks")[0] == 0


class Other:
    """An HTTP server with the prepared responses of another service."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.tokens: list[str] = []
        other = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                other.tokens.append(self.headers["Authorization"].removeprefix("Bearer "))
                status, body = other.answers.get(self.path, (404, b'{"errors": [{"message": "No result found"}]}'))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: Any) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=[0.05], daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer_as(self, caller: Caller) -> None:
        """Answer as this Signalbox answers a caller."""
        listed = caller.get("/v2/templates")
        self.answers = {"/v2/templates": (listed.status_code, listed.content)}
        for row in listed.json()["templates"]:
            one = caller.get(f"/v2/templates/{row['id']}")
            self.answers[f"/v2/templates/{row['id']}"] = (one.status_code, one.content)
            for file in one.json().get("files", {}).values():
                place = f"/v2/templates/{row['id']}/files/{file['id']}"
                self.answers[place] = (200, caller.get(place).content)


@pytest.fixture
def other() -> Iterator[Other]:
    other = Other()
    yield other
    other.close()


def key_of(caller: Caller) -> str:
    return f"{caller.key.name}-{caller.service.pk}-{caller.key.secret}"


def import_to(service: str, other: Other, key: str, **options: Any) -> tuple[int, str]:
    arguments = {"from": other.url, "key": "-", "service": service}
    given = [part for name, value in arguments.items() for part in (f"--{name}", value)]
    return run("import", *given, typed=f"{key}\n", **options)


def test_an_import_from_a_signalbox_is_complete_and_signed_as_clients_do(service: Service, other: Other) -> None:
    caller = make_caller(service)
    caller.key.manages_templates = True
    caller.key.save()
    Template.objects.get(type="email").save_draft(
        {"name": "Draft", "subject": "D", "content": "D", "unsubscribe_link": False}, note="", author=""
    )
    other.answer_as(caller)
    target = make_service(name="Copy")

    code, out = import_to("Copy", other, key_of(caller), ci=True)

    assert code == 0, out
    assert texts(target) == texts(service)
    claims = jwt.decode(other.tokens[0], caller.key.secret, algorithms=["HS256"])
    assert claims["iss"] == str(service.pk)
    assert import_to("Copy", other, key_of(caller), ci=True)[1] == "No template differs.\n"


def test_an_import_takes_fixed_files(service: Service, with_file: Template, other: Other) -> None:
    caller = make_caller(service)
    caller.key.manages_templates = True
    caller.key.save()
    other.answer_as(caller)
    target = make_service(name="Copy", file_contact="help@example.org")

    code, out = import_to("Copy", other, key_of(caller), ci=True)

    assert code == 0, out
    assert texts(target) == texts(service)
    assert import_to("Copy", other, key_of(caller), ci=True)[1] == "No template differs.\n"
    [place] = [path for path in other.answers if "/files/" in path]
    other.answers[place] = (200, b'{"file": "?"}')
    assert import_to("Copy", other, key_of(caller), ci=True) == (
        1,
        f"The file ((terms)) of template {with_file.pk} cannot be read.\n",
    )


def test_an_import_from_a_signalbox_without_files_keeps_them(
    service: Service, with_file: Template, other: Other
) -> None:
    caller = make_caller(service)
    caller.key.manages_templates = True
    caller.key.save()
    other.answer_as(caller)
    for path, (status, body) in other.answers.items():
        shown = {name: value for name, value in json.loads(body).items() if name != "files"}
        other.answers[path] = (status, json.dumps(shown).encode())

    code, out = import_to("Parks", other, key_of(caller), ci=True)

    assert (code, out.splitlines()[-1]) == (0, "No template differs.")
    assert "does not show fixed files" in out
    assert contents(with_file) == {"terms": CSV}


def test_an_import_from_notify_keeps_ids_and_what_it_does_not_show(other: Other) -> None:
    notify = {
        "id": "f163deaf-2d3f-4ec6-98fc-f23fa511518f", "type": "email", "name": "Visit", "created_at": "2016-05-10",
        "updated_at": None, "created_by": "a@example.gov.uk", "version": 3, "subject": "Hi ((name))",
        "body": "Dear ((name))\r\n---\r\n", "letter_contact_block": None,
    }  # fmt: skip
    letter = {**notify, "id": "f163deaf-2d3f-4ec6-98fc-f23fa5115190", "type": "letter", "name": "On paper"}
    other.answers["/v2/templates"] = (200, json.dumps({"templates": [notify, letter]}).encode())
    target = make_service(name="Moved")
    key = f"migration-{target.pk}-{target.pk}"

    code, out = import_to("Moved", other, key, ci=True)

    assert code == 0
    assert "left out, neither an email nor a text message: On paper" in out
    template = Template.objects.get()
    assert (str(template.pk), template.published().content) == (notify["id"], notify["body"])
    Template.objects.update(respect_quiet_hours=True)
    assert "No template differs." in import_to("Moved", other, key, ci=True)[1]


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (403, b'{"errors": [{"message": "Invalid token"}]}', "The service answered 403: Invalid token"),
        (502, b"<html>", "The service answered 502: no reason"),
        (200, b'{"templates": [', "The response is not complete JSON."),
        (200, b"[]", "The response is not a list of templates."),
        (200, b'{"templates": [{"type": "sms"}]}', "A template of the response lacks an id, a name or a text."),
        (
            200,
            b'{"templates": [{"type": "sms", "id": "f163deaf-2d3f-4ec6-98fc-f23fa511518f", "name": "", "body": 7}]}',
            "Template f163deaf-2d3f-4ec6-98fc-f23fa511518f has a text that cannot be stored.",
        ),
    ],
)
def test_a_response_without_templates_is_an_error(other: Other, status: int, body: bytes, message: str) -> None:
    make_service(name="Moved")
    other.answers["/v2/templates"] = (status, body)
    identifier = "f163deaf-2d3f-4ec6-98fc-f23fa511518f"

    assert import_to("Moved", other, f"k-{identifier}-{identifier}", ci=True) == (1, f"{message}\n")


def test_an_import_reaches_no_private_network(other: Other, settings: Any) -> None:
    settings.OUTBOUND_ALLOWED_NETWORKS = []
    identifier = "f163deaf-2d3f-4ec6-98fc-f23fa511518f"

    with pytest.raises(ReadFailed, match="must start with https://"):
        OtherService(other.url, f"k-{identifier}-{identifier}").templates()
    with pytest.raises(ReadFailed, match="must not lead to a private network"):
        OtherService("https://127.0.0.1", f"k-{identifier}-{identifier}").templates()
    with pytest.raises(ReadFailed, match="not complete"):
        OtherService(other.url, "k")
    assert other.tokens == []


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.tuples(TEXTS, TEXTS, FILES), min_size=1, max_size=3))
def test_any_template_is_the_same_after_pull_push_and_import(
    words: list[tuple[str, str, dict[str, CheckedFile]]], other: Other, tmp_path_factory: Any
) -> None:
    source, pushed, imported = (make_service(file_contact="help@example.org") for _ in range(3))
    for number, (subject, content, files) in enumerate(words):
        name, subject = f"Visit – “{number}”", " ".join(subject.split()) or "S"
        template = make_template(source, content=f"{content}A{content}", subject=subject, name=name)
        fixed_files.put(template, files, audit.operator())
    place = tmp_path_factory.mktemp("files")
    caller = make_caller(source)
    caller.key.manages_templates = True
    caller.key.save()
    other.answer_as(caller)

    codes = [
        run("pull", place, service=str(source.pk))[0],
        run("push", place, service=str(pushed.pk), ci=True)[0],
        import_to(str(imported.pk), other, f"k-{source.pk}-{source.pk}", ci=True)[0],
        run("pull", place, service=str(source.pk))[0],
        run("diff", place, service=str(source.pk))[0],
    ]

    assert codes == [0, 0, 0, 0, 0]
    assert texts(source) == texts(pushed) == texts(imported)
