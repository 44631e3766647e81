"""The actions of operators on queues and providers. GET explains an action, and POST does it.

Source: docs/reference/console.md §3.14.
"""

import uuid
from typing import Any  # values of templates

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from kombu.exceptions import KombuError

from config import audit, formats
from config.accounts.sessions import account_of
from config.console import pages
from config.console.admin.many_rows import in_background, new_job
from config.console.theme import TextInput
from config.jobs import bulk, failed
from config.jobs.bulk import BACKGROUND_OVER
from notifications import tasks
from notifications.admin.queue import queues, retrying
from notifications.delivery import pauses, probes, providers
from notifications.delivery.providers import Provider
from notifications.models import Channel, PauseKind, SendingPause

_KEPT = "They are accepted and kept, and they do not expire meanwhile."


class PauseForm(forms.Form):
    reason = forms.CharField(
        max_length=200,
        required=False,
        widget=TextInput,
        help_text="Optional. Operators see it, and the audit trail keeps it.",
    )


def pause(request: HttpRequest, kind: PauseKind, name: str) -> HttpResponse:
    title = f"Pause {_titled(kind, name)}"
    if SendingPause.objects.current().filter(kind=kind, name=name).exists():
        return _page(request, title, error="This is already paused.")
    form = PauseForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        pauses.pause(kind, name, audit.person(request), form.cleaned_data["reason"])
        return _done(request, f"Paused: {_titled(kind, name)}. Workers stop within seconds.")
    if kind == PauseKind.CHANNEL:
        effect = f"Within seconds, workers send no more {Channel(name).noun}s of all services, single and bulk. {_KEPT}"
    else:
        effect = _effect_on_provider(name)
    explanation = [effect, "A message that is being sent at this moment is finished."]
    return _page(request, title, button=title, explanation=explanation, form=form)


def resume(request: HttpRequest, kind: PauseKind, name: str) -> HttpResponse:
    current = SendingPause.objects.current().filter(kind=kind, name=name).first()
    if current is None:
        return _page(request, f"Resume {_titled(kind, name)}", error="This is not paused.")
    # A provider may have left PROVIDERS since its pause.
    what = f"the provider {name}" if kind == PauseKind.PROVIDER else _titled(kind, name)
    if request.method == "POST":
        pauses.resume(kind, name, audit.person(request))
        for channel in [Channel(name)] if kind == PauseKind.CHANNEL else _channels_of(name):
            tasks.wake(channel.value)
        return _done(request, f"Resumed: {what}. Waiting messages are sent now.")
    reason = f" Reason: {current.reason}" if current.reason else ""
    explanation = [
        f"Paused {formats.on(current.since)} by {current.by}.{reason}",
        "Waiting messages are sent, with an equal share for each service.",
    ]
    return _page(request, f"Resume {what}", button=f"Resume {what}", explanation=explanation)


def probe(request: HttpRequest, name: str) -> HttpResponse:
    """Test a provider and show the result. There is no transaction: the provider may take 10 s."""
    provider = _provider_or_404(name)
    if request.method != "POST":
        explanation = [
            f"Signalbox connects to {name} and, if the protocol allows it, signs in.",
            "It sends no message. This takes up to 15 seconds.",
        ]
        return _page(request, f"Send a probe to {name}", button="Send probe", explanation=explanation)
    result = probes.probe(provider)
    outcome = {"result": "passed" if result.is_well else "failed"}
    audit.record(audit.person(request), "tested", object_kind="provider", object_id=name, label=name, after=outcome)
    (messages.success if result.is_well else messages.error)(request, f"{name}: {result.sentence}")
    return HttpResponseRedirect(reverse("admin:queue_provider", args=[name]))


def retry_callbacks(request: HttpRequest) -> HttpResponse:
    number = queues.given_up().count()
    title = "Retry failed callbacks"
    if not number:
        return _page(request, title, error="No callback has failed, so there is nothing to retry.")
    if request.method == "POST":
        job = new_job(request, retrying.KIND, total=number, way_back=reverse("admin:queue"))
        return in_background(request, job) if number > BACKGROUND_OVER else _done(request, bulk.do_now(job))
    counted = formats.counted(number, "callback")
    explanation = [
        f"{counted} of all services could not be delivered. Each keeps its webhook-id.",
        "Callbacks of a paused endpoint wait until it is resumed.",
    ]
    return _page(request, title, button=f"Retry {counted}", explanation=explanation, job_id=uuid.uuid4())


def retry_jobs(request: HttpRequest) -> HttpResponse:
    number = failed.bulk_jobs().count() + failed.clean_up().count()
    title = "Retry failed jobs"
    if not number:
        return _page(request, title, error="No job has failed, so there is nothing to retry.")
    if request.method == "POST":
        started = retrying.start_jobs(account_of(request), audit.person(request))
        return _done(request, f"{formats.counted(started, 'job')} started again.")
    counted = formats.counted(number, "job")
    explanation = [f"{counted} failed. A background job continues after its last batch; clean-up starts a new run."]
    return _page(request, title, button=f"Retry {counted}", explanation=explanation)


def delete_unreadable(request: HttpRequest) -> HttpResponse:
    title = "Delete unreadable queue messages"
    number = queues.unreadable_number()
    if number is None:
        return _page(request, title, error="The queue does not answer. See the page Health.")
    if not number:
        return _page(request, title, error="There are no unreadable queue messages.")
    if request.method == "POST":
        try:
            deleted = retrying.delete_unreadable(audit.person(request))
        except (KombuError, OSError):
            return _page(request, title, error="The queue does not answer. See the page Health.")
        return _done(request, f"{formats.counted(deleted, 'queue message')} deleted.")
    counted = formats.counted(number, "queue message")
    explanation = [
        f"{counted} could not be read. They only wake workers: no message to a recipient is in them.",
        "First check the disk, and other programs that write to the queue.",
    ]
    return _page(request, title, button=f"Delete {counted}", explanation=explanation, is_destructive=True)


def _effect_on_provider(name: str) -> str:
    stopped, others = [], set()
    paused = set(SendingPause.objects.current().filter(kind=PauseKind.PROVIDER).values_list("name", flat=True))
    for channel in _channels_of(name):
        rest = {other for other in providers.names_for(channel) if other != name} - paused
        others |= rest
        stopped += [] if rest else [f"{channel.noun}s"]
    sentence = f"Within seconds, workers send nothing more through {name}."
    if others:
        sentence += f" Messages go through {' and '.join(sorted(others))} instead."
    if stopped:
        sentence += f" No other provider takes {' and '.join(stopped)}. {_KEPT}"
    return sentence


def _channels_of(name: str) -> list[Channel]:
    return [channel for channel in Channel if name in providers.names_for(channel)]


def _titled(kind: PauseKind, name: str) -> str:
    """Return what can be paused in words. Raises Http404 for a name that does not exist."""
    if kind == PauseKind.PROVIDER:
        return f"the provider {_provider_or_404(name).name}"
    if name not in Channel:
        raise Http404
    return f"{Channel(name).noun}s"


def _provider_or_404(name: str) -> Provider:
    found = next((provider for provider in providers.configured() if provider.name == name), None)
    if found is None:
        raise Http404
    return found


def _page(request: HttpRequest, title: str, **context: Any) -> HttpResponse:
    """Return the page of an action. context: of `admin/action.html`, such as `button` and `explanation`, or `error`"""
    return pages.show(request, "admin/action.html", title, list_url=reverse("admin:queue"), **context)


def _done(request: HttpRequest, message: str) -> HttpResponse:
    messages.success(request, message)
    return HttpResponseRedirect(reverse("admin:queue"))
