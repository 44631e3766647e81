"""Create one row of each kind, an operator and a member, and list the console pages that each may open."""

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.db.models import Model
from django.http import Http404, HttpRequest
from django.test import Client, RequestFactory
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, resolve, reverse
from django.utils import timezone

from config import audit
from config.accounts import invites
from config.accounts.saved_search import SavedSearch
from config.jobs.models import BulkJobRun, RetentionRun, Trigger
from datasets.imports import job, starting
from datasets.models import Alarm, DataSet
from datasets.store import fields_seen
from notifications.admin.bulk_sends import notices
from notifications.bulk_tables.rows import MISSING, NOT_AN_EMAIL_ADDRESS
from notifications.jobs import limits
from notifications.models import (
    BulkRow,
    BulkSend,
    BulkState,
    BulkTable,
    CallbackDelivery,
    CallbackEvent,
    CallbackKind,
    Channel,
    DeliveryState,
    GoLiveRequest,
    HookContent,
    ProtectedName,
    ProviderResult,
    Role,
    RowState,
    SandboxContent,
    SandboxHook,
    SandboxHookCall,
    SandboxMessage,
    ServiceLimit,
    SignatureCheck,
    Status,
    Template,
)
from notifications.rendering.placeholders import Keyed
from notifications.submission import templates
from notifications.submission.templates import use_counts
from tests import factories
from tests.datasets import making
from tests.notifications.download.sending import send_file

PASSWORD = "a-long-password-1"
LONG_NAME = "of the department for the environment, food, parks, gardens and harbours"
LONG_WORD = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"
LONG_ADDRESS = "somebody.with.a.very.long.address@department-of-long-names.example.org"
NOT_THERE = (BadRequest, Http404, PermissionDenied, SuspiciousOperation, NoReverseMatch)
# Form fields with another value on each request.
MADE_EACH_TIME = re.compile(r'name="(?:csrfmiddlewaretoken|nonce|job_id)" value="[^"]*"')
# Routes without a page: they need rows in the query, or answer a script.
FRAGMENTS = {
    "admin:datasets_dataset_state",
    "admin:needs",
    "admin:notifications_apikey_calls",
}  # parts that scripts insert into pages
NO_PAGES = FRAGMENTS | {
    "admin:jsi18n",
    "admin:autocomplete",
    "admin:app_list",
    "admin:login",
    "admin:logout",
    "admin:search",
}


def make(name: str) -> dict[str, Any]:
    """Store the rows, and return the links for recipients and the pages of the operator and of the member.

    `unlike` are the pages of the member whose content differs from the operator's.
    """
    operator = User.objects.create_superuser(name, "", PASSWORD)
    member = User.objects.create_user(f"{name}-member", password=PASSWORD, is_staff=True)
    rows = list(_rows(name, operator, member))
    ids = {kind: next(str(row.pk) for row in rows if row._meta.model_name == kind) for kind in ("template", "dataset")}
    arrived = SandboxMessage.objects.latest("received_at").pk
    further = [
        f"{reverse('admin:notifications_bulksend_add')}?template={ids['template']}",
        f"{reverse('admin:notifications_notification_send')}?template={ids['template']}",
        f"{reverse('admin:notifications_template_version', args=[ids['template']])}?number=1",
        f"{reverse('admin:notifications_template_restore-draft', args=[ids['template']])}?number=1",
        f"{reverse('admin:notifications_template_discard', args=[ids['template']])}?number=2",
        f"{reverse('admin:datasets_accesstoken_add')}?data_set={ids['dataset']}",
        *_imports(ids["dataset"]),
        reverse("sandbox-inbox"),
        reverse("sandbox-message", args=[arrived]),
    ]
    of_operator, of_member = ([*pages(person, rows), *further] for person in (operator, member))
    of_member.append(f"{reverse('admin:notifications_unsubscriberequest_one-click-test')}?origin=https://quay.example")
    of_operator.append(reverse("sandbox-hook", args=[name]))
    team = next(row for row in rows if row._meta.model_name == "teammember")
    return {
        **ids,
        "operator": of_operator,
        "member": of_member,
        "unlike": unlike(of_operator, of_member, operator, member),
        "join": invites.make(by="mina", member_id=team.pk),
        "choose": invites.make(by="mina", user_id=operator.pk),
        "download": send_file(team.service).path(),
    }


def _imports(data_set_id: str) -> Iterator[str]:
    """Import a file with questions, one with a preview and one with rejected rows, and yield their pages."""
    data_set = DataSet.objects.get(pk=data_set_id)
    for text, waits in (
        ("Datum;Betrag\n31.01.2024;1,5\n", True),
        ("_timestamp,n\n2024-01-01,1\n", True),
        ("_timestamp\n2024-01-01\nnever\n", False),
    ):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(text)
            file.flush()
            run = starting.start(data_set, Path(file.name), {}, by=audit.COMMAND, name="visits.csv", waits=waits)
        while job.work(run):
            run.refresh_from_db()
        yield f"{reverse('admin:datasets_dataset_import', args=[data_set_id])}?id={run.pk}"


def _rows(name: str, operator: User, member: User) -> Iterator[Model]:
    """Create the rows, some in two states, because the states have different actions."""
    service = factories.make_service(name=f"{name} {LONG_NAME}", file_contact="https://quay.example/contact")
    trial = factories.make_service(name=f"{name} {LONG_WORD}", live=False)
    template = factories.make_template(
        service, subject="Hello ((name))", content="High water", name=f"High water {LONG_NAME}"
    )
    factories.make_template(trial, subject="Hello", content="High water", name=3 * LONG_WORD)
    making.make_data_set(name, LONG_WORD.lower())
    data_set = making.make_data_set(name, "volumes")
    making.make_token(data_set)
    making.put_in(data_set, making.some_records(2, quay="North"))
    fields_seen.note(data_set)
    data_set.owners.add(member)
    endpoint = factories.make_callback(service)
    email = factories.make_notification(template, one_click_unsubscribe_url="https://quay.example/u")
    events = {"kind": CallbackKind.EVENTS, "events": list(CallbackEvent), "name": 6 * "long name "}
    search = SavedSearch(user=operator, kind="person")
    search.set_term(email.recipient)
    search.save()
    yield search
    content = SandboxContent(
        to="a@example.org",
        sender="Tides <t@example.org>",
        text="See https://quay.example",
        subject="Tides",
        html="<html lang=en><head><title>T</title></head><body><p><a href='https://quay.example'>It</a></p></body></html>",
        headers={"List-Unsubscribe": f"<https://quay.example/{60 * 'long'}>"},
    )
    SandboxMessage.objects.store(email.pk, Channel.EMAIL, content)
    hook, call = SandboxHook.objects.create(name=name), HookContent(headers={"X-Long": LONG_NAME}, body=60 * "long")
    SandboxHookCall.objects.store(hook, "POST", call, SignatureCheck.WRONG)
    yield factories.make_team_member(service, LONG_ADDRESS)
    of_member = factories.make_team_member(service, "member@example.org")
    of_member.user, of_member.roles = member, [role.value for role in Role]
    of_member.save()
    yield from (service, trial, template, data_set, data_set.group, data_set.type, data_set.tokens.get(), email)
    yield factories.make_template(service, archived_at=timezone.now())
    key = factories.make_api_key(service)
    factories.make_draft(template, "High water, ((name)), at the ((quay))")
    use_counts.count(key, templates.text_of(template.published()), Keyed({"name": "Ana"}))
    use_counts.store_pending()
    yield key
    yield factories.make_sms_sender(service)
    yield factories.make_sms_sender(service, "TIDES", is_default=False)
    yield factories.make_reply_to(service)
    yield factories.make_reply_to(service, "second@example.com", is_default=False)
    yield GoLiveRequest.objects.create(service=trial, emails_per_day=1200, texts_per_day=30, purpose=60 * "tides ")
    until = timezone.now() + timedelta(days=1)
    limits.change(service, {ServiceLimit.SMS: 900}, audit.CLOCK, LONG_ADDRESS, 60 * "tides ", until)
    yield factories.make_guest(service)
    yield factories.make_unsubscribe_request(template)
    yield factories.make_suppression(service, LONG_ADDRESS)
    text = factories.make_template(service, Channel.SMS, content=f"High water at {60 * 'long'}")
    factories.make_notification(text, "07700 900123")
    yield factories.make_received_email(
        service, f"See {60 * 'long'}", LONG_ADDRESS, attachments=[f"{60 * 'long'}.pdf"], notification_id=email.pk
    )
    yield factories.make_received_text(service, f"Thank you {60 * 'long'}")
    yield from _bulk_sends(template)
    yield from (endpoint, factories.make_callback(trial, paused_at=timezone.now(), **events))
    yield CallbackDelivery.objects.owe_test(endpoint)
    yield CallbackDelivery.objects.create(
        endpoint=endpoint, state=DeliveryState.GIVEN_UP, finished_at=timezone.now(), failed_attempts=10
    )
    ProviderResult.objects.create(provider="sandbox", at=timezone.now(), result="permanent", error="550", ms=12)
    yield send_file(service).row
    yield audit.record(
        audit.CLOCK, "removed", object_kind="service", object_id=service.pk, service_id=service.pk, after={"name": name}
    )
    yield from (member, operator)
    yield BulkJobRun.objects.create(kind="revoke-keys", by=operator, total=1200, position=400, way_back="/admin/")
    yield RetentionRun.objects.create(rule="files", trigger=Trigger.CLOCK, finished_at=timezone.now())
    yield ProtectedName.objects.create(name=f"Harbour {name}")
    yield Alarm.objects.create(
        data_set=data_set, name=name, measure="minutes", condition="above", limit=30, email_addresses=[LONG_ADDRESS]
    )


def _bulk_sends(template: Template) -> Iterator[BulkSend]:
    """Create a bulk send with two messages, and a checked draft with a row that has an error."""
    sent = factories.make_bulk_send(template, row_count=3, waiting=1, messages=2, state=BulkState.IN_PROGRESS)
    for number, status in enumerate((Status.DELIVERED, Status.PERMANENT_FAILURE), 2):
        row = BulkRow.objects.create(bulk_send=sent, number=number, state=RowState.MESSAGE, recipient=LONG_ADDRESS)
        factories.make_notification(template, LONG_ADDRESS, bulk_row=row, status=status)
    yield sent
    names, good, bad = ["email address", "name"], [LONG_ADDRESS, "Ana"], ["nobody", None]
    counts = {"rows": 2, "with_errors": 1, "recipient": 1, "missing": 1}
    draft = factories.make_bulk_send(template, state=BulkState.DRAFT, names=names, check_result={"counts": counts})
    BulkTable.objects.create(
        bulk_send=draft,
        names=names,
        sample=[good],
        row_count=2,
        choice={"email address": [0], "name": [1]},
        checking=draft.pk,
        fingerprint=notices.fingerprint(template, template.service),
    )
    errors = [{"column": names[0], "message": NOT_AN_EMAIL_ADDRESS}, {"column": names[1], "message": MISSING}]
    rows = BulkRow.objects
    rows.create(bulk_send=draft, number=2, state=RowState.WAITING, recipient=LONG_ADDRESS, cells=good)
    rows.create(bulk_send=draft, number=3, state=RowState.LEFT_OUT, recipient="nobody", cells=bad, errors=errors)
    yield draft


def pages(person: User, rows: list[Model]) -> list[str]:
    """Return the path of each page that this person may open: one for each route of the console, for its first row.

    The views are called, but their responses are not rendered, because the browser does that.
    """
    client = Client()
    client.force_login(person)
    return [
        path
        for name, route in _routes(get_resolver().url_patterns)
        if name not in NO_PAGES
        and (path := next((one for one in _paths(name, route, rows) if _is_page(one, person, client)), None))
    ]


def unlike(of_operator: list[str], of_member: list[str], operator: User, member: User) -> list[str]:
    """Return the pages of the member whose content, without the frame around it, is not the same for the operator."""
    ours, theirs = (Client(SERVER_NAME="127.0.0.1") for _ in range(2))
    ours.force_login(operator)
    theirs.force_login(member)
    return [path for path in of_member if path not in of_operator or _content(ours, path) != _content(theirs, path)]


def _content(client: Client, path: str) -> str:
    _, landmark, content = client.get(path, follow=True).content.decode().partition("<main")
    assert landmark, path
    return MADE_EACH_TIME.sub("", content)


def _routes(patterns: list[URLPattern | URLResolver], area: str = "", above: str = "") -> Iterator[tuple[str, str]]:
    for one in patterns:
        route = above + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from _routes(one.url_patterns, f"{one.namespace}:" if one.namespace else area, route)
        elif one.name and route.startswith("admin/"):
            yield area + one.name, route


def _paths(name: str, route: str, rows: list[Model]) -> Iterator[str]:
    if "<slug:name>" in route:
        yield from (reverse(name, args=[one]) for one in ("files", "sandbox", "email"))
    elif "<uuid:identifier>" in route:
        form = ["json"] if "<slug:form>" in route else []
        yield from (reverse(name, args=[row.pk, *form]) for row in rows if isinstance(row, SavedSearch))
    elif "<path:object_id>" in route:
        kind = name.partition(":")[2].rpartition("_")[0]
        for row in rows:
            if f"{row._meta.app_label}_{row._meta.model_name}" == kind:
                yield reverse(name, args=[row.pk])
    else:
        with suppress(NoReverseMatch):
            yield reverse(name)


def _is_page(path: str, person: User, client: Client) -> bool:
    request: HttpRequest = RequestFactory(SERVER_NAME="127.0.0.1").get(path)
    request.user, request.session = person, client.session  # type: ignore[assignment]  # set by middleware
    view = resolve(path)
    try:
        answer = view.func(request, *view.args, **view.kwargs)
    except NOT_THERE:
        return False
    is_whole = answer.status_code == 200 and "attachment" not in answer.headers.get("Content-Disposition", "")
    return is_whole and answer.headers["Content-Type"].startswith("text/html")


def main(name: str) -> None:
    sys.stdout.write("\n" + json.dumps(make(name)))
