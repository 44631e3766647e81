"""The second step of a bulk send: match the columns of the table with the template.

Source: docs/reference/console.md §3.4.
"""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from config import formats
from notifications.admin import permissions
from notifications.admin.bulk_sends import checking, drafts, notices
from notifications.admin.bulk_sends.checking import Draft
from notifications.admin.bulk_sends.notices import Counts
from notifications.bulk_tables import mapping
from notifications.bulk_tables.uploads import ReadAs
from notifications.models import BulkTable, Channel
from notifications.rendering import placeholders

_CHOSEN_BELOW = "missing_columns", "duplicate_recipient_columns"
_LIMITS = "daily_limit", "international_limit"  # the check reports them, together with the errors of rows


class ColumnsForm(forms.Form):
    """The column of each value that the template needs."""

    def __init__(
        self, *args: Any, table: BulkTable, needs: list[str], defaults: Mapping[str, str], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._needs = needs
        options = mapping.options(table.names)
        with_default = set(map(placeholders.key, defaults))
        single = [option for option in options if len(option.places) == 1]
        for number, need in enumerate(needs):
            offered = single if number == 0 else options  # a recipient is never a list
            is_optional = number > 0 and placeholders.key(need) in with_default
            nothing = ("", "No column: default value" if is_optional else "Choose a column")
            self.fields[f"column-{number}"] = forms.ChoiceField(
                label=need,
                required=not is_optional,
                choices=[nothing, *((_value(option.places), option.label) for option in offered)],
                initial=_value(table.choice.get(need, [])),
                error_messages={"required": f"Choose the column for “{need}”."},
            )

    @property
    def recipient(self) -> str:
        return self._needs[0]

    def choice(self) -> dict[str, list[int]]:
        values = ((need, self.cleaned_data.get(f"column-{number}")) for number, need in enumerate(self._needs))
        return {need: [int(place) for place in value.split(",")] for need, value in values if value}


class ColumnsPage:
    """One request: GET shows the guessed columns, POST stores the choice and starts the check."""

    def __init__(self, model_admin: Any, request: HttpRequest, table: BulkTable) -> None:
        self._admin, self._request, self._table = model_admin, request, table
        self._channel = Channel(table.bulk_send.channel)

    def answer(self) -> HttpResponse:
        table = self._table
        if table.error or table.row_count is None:
            return self._page(progress=drafts.progress(table.reading))
        draft = Draft.of(table)
        needs = mapping.needs(draft.rules.placeholders, is_email=draft.rules.is_email)
        if self._request.method != "POST":
            return self._shown(draft, ColumnsForm(table=table, needs=needs, defaults=draft.rules.defaults))
        form = ColumnsForm(self._request.POST, table=table, needs=needs, defaults=draft.rules.defaults)
        if not form.is_valid():
            return self._shown(draft, form, status=422)
        table.choice = form.choice()
        draft = Draft.of(table)
        if any(error.kind not in _LIMITS for error in draft.errors(Counts())):
            return self._shown(draft, form, status=422)
        check_url = self._admin.url_of("check", table.bulk_send)
        checking.begin(self._request, table, way_back=check_url)
        return HttpResponseRedirect(check_url)

    def _shown(self, draft: Draft, form: ColumnsForm, status: int = 200) -> HttpResponse:
        table, number = self._table, self._table.row_count or 0
        errors = [error for error in draft.errors(Counts()) if error.kind not in _LIMITS]
        is_blocked = any(error.kind not in _CHOSEN_BELOW for error in errors)
        return self._page(
            status=status,
            form=form,
            draft=draft,
            language=drafts.language_of(drafts.text_of(table)),
            notices=notices.of_table(errors, Counts(), self._channel)
            if is_blocked
            else notices.of_columns(draft.columns, form.recipient),
            is_blocked=is_blocked,
            spellings=mapping.spellings(table.names, draft.rules.placeholders),
            unused=[name for name in draft.columns.unused if name],
            special=[column.name for column in draft.columns.special.values()],
            is_guessed_encoding=table.read_as == ReadAs.WINDOWS_1252,
            number=number,
            button=f"Check {formats.counted(number, 'row')}",
            shows_sample=self._may_see_sample(),
        )

    def _may_see_sample(self) -> bool:
        bulk_send = self._table.bulk_send
        may_see = permissions.may_see_recipients(self._request, bulk_send.service_id)
        return may_see and not bulk_send.template.redact_personalisation

    def _page(self, *, status: int = 200, **context: Any) -> HttpResponse:
        bulk_send = self._table.bulk_send
        page = {
            **self._admin.page_context(self._request, "Match columns", bulk_send),
            "bulk_send": bulk_send,
            "table": self._table,
            "step": 2,
            "upload_url": self._admin.upload_url(bulk_send),
            **context,
        }
        return TemplateResponse(self._request, "admin/notifications/bulk_columns.html", page, status=status)


def _value(places: mapping.Places) -> str:
    return ",".join(map(str, places))
