"""The pages *One person*: search, what is stored, export and erasure. Source: docs/reference/erasing.md §1."""

import uuid
from typing import Any
from uuid import UUID

from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.urls import reverse
from django.utils import timezone

from config import audit, formats
from config.audit import reads
from config.console import pages, recent_sign_in
from config.console.admin.many_rows import in_background, new_job
from config.console.pages import OwnPages, file_response
from config.databases import replica
from config.encryption import DecryptionFailed
from config.invalid import InvalidValue
from notifications.admin import permissions, saved_searches
from notifications.admin.one_person import job
from notifications.admin.one_person.forms import EraseForm, FindPersonForm
from notifications.admin.service_rows import posted
from notifications.models import Role
from notifications.one_person import exporting, kinds, proof
from notifications.one_person.exporting import Format
from notifications.one_person.person import Person

KIND = "person"  # of the saved searches


def may_open(request: HttpRequest) -> bool:
    """Return whether the person is an operator or has both roles in the chosen service."""
    return permissions.may(request, Role.MANAGE_SERVICE) and permissions.may(request, Role.SEE_RECIPIENTS)


def find(request: HttpRequest) -> HttpResponse:
    form = FindPersonForm(posted(request))
    if request.method == "POST" and form.is_valid():
        saved = saved_searches.keep(request, KIND, form.cleaned_data["recipient"])
        return HttpResponseRedirect(reverse("admin:one_person", args=[saved]))
    explanation = [
        f"See what is stored about a recipient in {_where(request)}, export it, or erase it. "
        "Choose another service at the top of the menu."
    ]
    found: dict[str, Any] = {"form": form, "explanation": explanation, "button": "Find person"}
    return pages.show(request, "admin/action.html", "Find one person", failed="Nothing was searched.", **found)


def stored(request: HttpRequest, identifier: UUID) -> HttpResponse:
    """Show how much is stored about the person, by kind."""
    person = _found(request, identifier)
    _note(request, proof.KIND, person)
    numbers = _counts(person)
    context: dict[str, Any] = {
        "recipient": person.shown,
        "where": _where(request),
        "rows": [(kind.title, numbers[kind.name]) for kind in kinds.KINDS if numbers[kind.name]],
        "total": sum(numbers.values()),
        "exports": [(form.value.upper(), _url("export", identifier, form.value)) for form in Format],
        "erase_url": _url("erase", identifier),
        "events": proof.events(person),
    }
    return pages.show(request, "admin/notifications/one_person.html", "One person", **context)


def export(request: HttpRequest, identifier: UUID, form: str) -> HttpResponseBase:
    person = _found(request, identifier)
    if form not in list(Format):
        raise Http404
    if not recent_sign_in.is_recent(request):
        return recent_sign_in.ask(request)
    name = form.upper()
    if request.method == "POST":
        proof.record_export(audit.person(request), person, form)
        _note(request, proof.EXPORT, person)
        return _file(person, Format(form))
    explanation = [
        f"The {name} file has everything that is stored about {person.shown} in {_where(request)}.",
        "Files are listed without their content, which only the link of the recipient can decrypt.",
        "The export is recorded in the audit and the read log, without the recipient.",
    ]
    return _action(request, identifier, f"Export as {name}", button=f"Export as {name}", explanation=explanation)


def erase(request: HttpRequest, identifier: UUID) -> HttpResponse:
    person = _found(request, identifier)
    if not recent_sign_in.is_recent(request):
        return recent_sign_in.ask(request)
    total = sum(_counts(person).values())
    form = EraseForm(posted(request), person=person)
    if request.method == "POST" and form.is_valid():
        arguments = {"search": str(identifier), "case": form.cleaned_data["case"]}
        way_back = reverse("admin:notifications_notification_person")
        run = new_job(request, job.KIND, arguments=arguments, total=max(total, 1), way_back=way_back)
        return in_background(request, run)
    explanation = [
        f"This erases {formats.counted(total, 'row')} about {person.shown} in {_where(request)}, "
        "and the recipient in all other texts. It cannot be undone.",
        "Messages that are not sent yet are cancelled first.",
        "Active suppressions still apply. Of the recipient they keep only a hash.",
        "Messages keep their status, times, template and billing, so counts and reports do not change.",
    ]
    return _action(
        request,
        identifier,
        "Erase one person",
        button="Erase person",
        explanation=explanation,
        form=form,
        failed="Nothing was erased.",
        is_destructive=True,
        job_id=uuid.uuid4(),
    )


def _found(request: HttpRequest, identifier: UUID) -> Person:
    """Return the person of a search. Raises Http404 for searches of other accounts and services, and after 7 days."""
    saved = saved_searches.find(request, KIND, str(identifier))
    if saved is None:
        raise Http404
    try:
        return Person.parse(saved.term, permissions.chosen_service(request))
    except (DecryptionFailed, InvalidValue) as error:
        raise Http404 from error


def _action(request: HttpRequest, identifier: UUID, title: str, **context: Any) -> HttpResponse:
    """Return the page of an action. context: of `admin/action.html`, such as `button` and `explanation`"""
    list_url = reverse("admin:one_person", args=[identifier])
    return pages.show(request, "admin/action.html", title, list_url=list_url, **context)


def _note(request: HttpRequest, kind: str, person: Person) -> None:
    """Record in the read log who looked, with the hash of the recipient."""
    reads.note(request, kind, proof.id_of(person), service_id=person.service.pk if person.service else None)


def _counts(person: Person) -> dict[str, int]:
    """Return the numbers of rows by kind, without the searches of this page."""
    others = kinds.saved_searches(person).exclude(kind=KIND)
    return {**kinds.counts(person), "saved_searches": others.count()}


def _file(person: Person, form: Format) -> StreamingHttpResponse:
    name = f"person-{timezone.localdate():%Y-%m-%d}.{form.value}"
    return file_response(name, replica.read_from(exporting.lines(person, form)), content_type=form.content_type)


def _url(name: str, identifier: UUID, *rest: str) -> str:
    return reverse(f"admin:one_person_{name}", args=[identifier, *rest])


def _where(request: HttpRequest) -> str:
    service = permissions.chosen_service(request)
    return service.name if service else "all services"


PAGES = OwnPages(
    pages=(
        ("notifications/person/", find, "notifications_notification_person"),
        ("notifications/person/<uuid:identifier>/", stored, "one_person"),
        ("notifications/person/<uuid:identifier>/export/<slug:form>/", export, "one_person_export"),
        ("notifications/person/<uuid:identifier>/erase/", erase, "one_person_erase"),
    ),
    is_open_to=may_open,
)
