"""Columns of the list and the page of callback endpoints. Source: docs/reference/console.md §3.8."""

from typing import Any

from django.contrib import admin
from django.utils import timezone
from django.utils.safestring import SafeString

from config import data_sets, formats
from config.console import cells
from config.console.admin.columns import column
from notifications.models import CallbackEndpoint, PauseReason

OF_REQUESTS = "As each request names it"
MOST_SHOWN = 38  # characters of a URL in the list; more do not fit on a phone


class EndpointColumns:
    """Cells of an admin whose rows are endpoints, annotated with `ended`, `accepted` and `last_accepted`."""

    @admin.display(description="Callback", ordering="name")
    def name_and_url(self, row: CallbackEndpoint) -> SafeString:
        where = row.url.removeprefix("https://") or OF_REQUESTS
        shown = where if len(where) <= MOST_SHOWN else f"{where[:MOST_SHOWN]}…"
        return cells.two_lines(row.name or row.get_kind_display(), shown)

    shown_name = column("Name", lambda row: row.name or "–")
    shown_kind = column("Format", lambda row: row.get_kind_display())
    shown_events = column("Events", lambda row: ", ".join(event.label for event in row.chosen_events))
    shown_data_sets = column("Data sets", lambda row: _data_sets(row))
    shown_url = column("URL", lambda row: row.url or OF_REQUESTS)

    @admin.display(description="Authentication")
    def authentication(self, row: CallbackEndpoint) -> SafeString:
        if not row.encrypted_signing_secret:
            return cells.chip("Bearer token")
        if len(row.signing_secrets(timezone.now())) > 1 and row.old_signing_secret_until:
            until = formats.spoken(row.old_signing_secret_until)
            return cells.two_lines("Bearer token, signed", f"also with the old secret until {until}")
        return cells.chip("Bearer token, signed", "accent")

    @admin.display(description="Accepted, 24 hours")
    def success(self, row: Any) -> str:
        if not row.ended:
            return "Nothing sent"
        return f"{formats.percent(100 * row.accepted / row.ended)} of {formats.number(row.ended)}"

    last_call = column("Last accepted", lambda row: cells.moment(row.last_accepted, never="Never"))

    @admin.display(description="State")
    def state_in_full(self, row: CallbackEndpoint) -> SafeString:
        if row.paused_at is None:
            return self.state(row)
        by = f" by {row.paused_by}" if row.pause_reason == PauseReason.PERSON and row.paused_by else ""
        return cells.two_lines(f"Paused{by}", f"{formats.spoken(row.paused_at)}: {row.get_pause_reason_display()}")

    @admin.display(description="State")
    def state(self, row: CallbackEndpoint) -> SafeString:
        if row.paused_at is not None:
            return cells.chip("Paused", "warn")
        if row.failing_since is not None:
            return cells.chip("Failing", "bad")
        return cells.chip("On", "good")

    failing = column("Failing since", lambda row: cells.moment(row.failing_since))
    created = column("Created", lambda row: cells.moment(row.created_at))
    made_by = column("Created by", lambda row: cells.author(row.created_by) or "–")


def _data_sets(row: CallbackEndpoint) -> str:
    """Return the paths of the data sets. A deleted one has no path any more."""
    paths = data_sets.paths(row.data_sets)
    deleted = len(row.data_sets) - len(paths)
    return ", ".join([*sorted(paths.values()), *([f"{deleted} deleted"] if deleted else [])]) or "–"
