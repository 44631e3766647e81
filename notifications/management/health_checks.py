"""The checks of the sending area for `manage.py doctor` and the deep check, and what operators have paused.

Source: docs/reference/files.md §5, §8; docs/reference/inbox.md §5; docs/reference/security.md §11.
"""

import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError

from config import formats
from config.areas import Finding, Pausable
from notifications.attachments import scanning, store
from notifications.delivery import probes, providers
from notifications.delivery.providers import HasServer, Provider
from notifications.delivery.returned_emails.imap import Mailbox, MailboxAway
from notifications.models import Channel, PauseKind, ProviderCircuit, SendingPause, Service

SIGNATURES_ARE_OLD_AFTER = timedelta(days=3)
_MAILBOX_TIMEOUT_SECONDS = 3.0

_SIGNATURES = re.compile(r"ClamAV [^/]+/\d+/(?P<at>\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4})")


def scanner() -> Finding:
    """Check the version of the scanner and the age of its signatures."""
    if settings.SCANNER == scanning.NOBODY:
        seen = "none: files are checked for the test virus only"
        fix = (
            "Set SCANNER: production does not start without a scanner." if settings.ENVIRONMENT == "production" else ""
        )
        return Finding(name="scanner", seen=seen, fix=fix)
    try:
        version = scanning.version()
    except scanning.NoVerdict as failure:
        fix = "Start clamd, or correct SCANNER: until then emails with files get status 500."
        return Finding(name="scanner", seen=str(failure), fix=fix)
    is_old = is_outdated(version, datetime.now(UTC))
    fix = "Run freshclam: the signatures are older than 3 days." if is_old else ""
    return Finding(name="scanner", seen=version, fix=fix)


def single_sign_on() -> Finding:
    """Check that OIDC_ROLES names active services. Unknown ones give nobody a role."""
    if not settings.OIDC_ROLES:
        return Finding(name="sign-in", seen="no roles by group")
    grants = {grant for grants in settings.OIDC_ROLES.values() for grant in grants}
    named = {grant.partition(":")[0].strip() for grant in grants if ":" in grant}
    active = {name.lower() for name in Service.objects.filter(active=True).values_list("name", flat=True)}
    unknown = sorted(name for name in named if name.lower() not in active)
    fix = f"Create or activate the service, or correct OIDC_ROLES: {', '.join(unknown)}." if unknown else ""
    return Finding(name="sign-in", seen=f"roles of {formats.counted(len(named), 'service')} by group", fix=fix)


def is_outdated(version: str, now: datetime) -> bool:
    """Return whether clamd's signatures are older than 3 days. A custom database has no date.

    >>> is_outdated("ClamAV 1.4.6/27800/Thu Nov 12 08:00:00 2026", datetime(2026, 11, 21, tzinfo=UTC))
    True
    >>> is_outdated("ClamAV 1.4.6", datetime(2026, 11, 21, tzinfo=UTC))
    False
    """
    match = _SIGNATURES.match(version)
    if match is None:
        return False
    made_at = datetime.strptime(match["at"], "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    return now - made_at > SIGNATURES_ARE_OLD_AFTER


def file_store() -> Finding:
    """Write, read and delete a blob."""
    name, blob = store.new_name(), uuid4().bytes
    try:
        store.write(name, blob)
        is_same = store.read(name) == blob
        store.delete(name)
    except (store.StoreAway, store.BlobMissing) as error:
        cause = type(error.__cause__ or error).__name__
        fix = "Start the store, or correct FILES_STORAGE and its settings: until then emails with files get status 500."
        return Finding(name="files", seen=f"{settings.FILES_STORAGE}: {cause}", fix=fix)
    fix = "" if is_same else "Check the store: it returned other data than were written."
    return Finding(name="files", seen=f"{settings.FILES_STORAGE}, written and read", fix=fix)


def mailbox() -> Finding:
    """Sign in to the mailbox and open its folder."""
    if not settings.RETURNED_EMAIL_IMAP_URL:
        return Finding(name="mailbox", seen="none: RETURNED_EMAIL_IMAP_URL is not set")
    opened = Mailbox.parse(settings.RETURNED_EMAIL_IMAP_URL)
    try:
        opened.check(timeout_seconds=_MAILBOX_TIMEOUT_SECONDS)
    except MailboxAway as error:
        fix = "Start the server, or correct RETURNED_EMAIL_IMAP_URL: until then emails wait in the mailbox."
        return Finding(name="mailbox", seen=f"{opened.title}: {error}", fix=fix)
    return Finding(name="mailbox", seen=opened.title)


def pausables() -> Iterator[Pausable]:
    """Return each channel and each configured provider."""
    paused = set(SendingPause.objects.current().values_list("kind", "name"))
    names = [(PauseKind.CHANNEL.value, channel.value) for channel in Channel]
    names += [(PauseKind.PROVIDER.value, provider.name) for provider in providers.configured()]
    for kind, name in names:
        yield Pausable(kind=kind, name=name, is_paused=(kind, name) in paused)


def paused() -> Finding:
    """Report what operators have paused, because its messages wait until somebody resumes it."""
    found = list(SendingPause.objects.current().order_by("since"))
    if not found:
        return Finding(name="pauses", seen="nothing is paused")
    seen = ", ".join(f"{pause.kind} {pause.name} since {formats.spoken(pause.since)} by {pause.by}" for pause in found)
    return Finding(name="pauses", seen=seen, fix="Resume it at operations/queue/: its messages wait.")


def reachable_providers() -> Finding:
    """Connect to each provider and name those that are unreachable or have an open circuit."""
    configured = providers.configured()
    names = ", ".join(provider.name for provider in configured)
    if settings.PROVIDERS == ["sandbox"]:
        names += " (nothing leaves this machine)"
    fixes = [*_open_circuits(configured), *_unreachable(configured)]
    return Finding(name="providers", seen=names, fix=" ".join(fixes))


def _unreachable(configured: Iterable[Provider]) -> Iterable[str]:
    servers = [(one.name, one.adapter.server) for one in configured if isinstance(one.adapter, HasServer)]
    if not servers:
        return
    with ThreadPoolExecutor(len(servers)) as threads:
        errors = threads.map(probes.connection_error, [server for _, server in servers])
    for (name, (host, port)), error in zip(servers, errors, strict=True):
        if error:
            why = type(error).__name__
            yield f"{name} cannot be reached at {host}:{port} ({why}): start it, or correct PROVIDERS."


def _open_circuits(configured: Iterable[Provider]) -> Iterable[str]:
    names = [provider.name for provider in configured]
    try:
        circuits = list(ProviderCircuit.objects.filter(provider__in=names).order_by("provider"))
    except DatabaseError:  # the database check reports it
        return
    if circuits:
        reasons = ", ".join(f"{circuit.provider} ({circuit.reason})" for circuit in circuits)
        yield f"Rejected by {reasons}: correct PROVIDERS or the account. Messages wait until then."
