"""Issue and revoke the tokens of saved queries. Source: docs/reference/saved-queries.md §3."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from config.console import cells
from config.console.admin import ShownOnceAdmin
from config.console.admin.columns import column
from config.console.shown_once import Secret, Snippet, spend
from datasets.admin.access import author, reads_some, saved_queries_of
from datasets.admin.data_sets import EXPLANATION
from datasets.models import QueryToken, SavedQuery
from datasets.saved_queries import tokens


class QueryTokenForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    class Meta:
        model = QueryToken
        fields = ("saved_query",)
        labels = {"saved_query": "Saved query"}


@admin.register(QueryToken)
class QueryTokenAdmin(ShownOnceAdmin):
    empty = "No tokens of your saved queries yet."
    list_display = ("beginning", "saved_query", "state", "created")
    create_verb = "Issue"
    row_actions = {"revoke": "revoke"}
    add_form = QueryTokenForm
    add_fields = ("saved_query",)
    may_change = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[QueryToken]:
        mine = QueryToken.objects.filter(saved_query__in=saved_queries_of(request))
        return mine.select_related("saved_query__data_set__group", "saved_query__data_set__type").order_by("-pk")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return reads_some(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return reads_some(request)

    def may_do(self, request: HttpRequest, word: str, obj: Any) -> bool:
        return self.has_view_permission(request, obj)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs["queryset"] = saved_queries_of(request)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change:
            raise PermissionDenied
        spend(request)
        issued, obj.secret = tokens.issue(form.cleaned_data["saved_query"], by=author(request))
        obj.pk, obj.prefix = issued.pk, issued.prefix
        self.audit(request, "issued", issued, after={"name": issued.prefix, "saved_query": str(issued.saved_query)})

    def secret_of(self, request: HttpRequest, obj: Any) -> Secret:
        path = reverse("saved_query", args=[obj.saved_query.public_id, "json"])
        url = f"{settings.DATA_BASE_URL}{path}"
        return Secret(
            kind="Token of a saved query",
            name=str(obj.saved_query),
            value=obj.secret,
            explanation=EXPLANATION,
            parts=(Snippet("URL", url),),
            snippets=(Snippet("Try it", f'curl -sS "{url}" -H "Authorization: Bearer {obj.secret}"'),),
            where_next=("Go to the saved query", _page_of(obj.saved_query)),
        )

    def revoke(self, request: HttpRequest, token: QueryToken) -> HttpResponse:
        title = f"Revoke {token}"
        if token.revoked_at is not None:
            return self.error_page(request, token, title, "This token is already revoked. It cannot be used again.")
        if request.method == "POST":
            tokens.revoke(token)
            self.audit(request, "revoked", token, before={"name": token.prefix})
            return self.action_done(request, _page_of(token.saved_query), f"{token} is revoked. The next call fails.")
        explanation = ["The next request with this token is refused. This cannot be undone."]
        return self.action_page(
            request, token, title, "Revoke token", explanation, is_destructive=True, row_url=_page_of(token.saved_query)
        )

    beginning = column("Token", lambda token: cells.code(f"{token.prefix}…"))
    state = column("State", lambda token: cells.chip("Revoked") if token.revoked_at else cells.chip("Valid", "good"))
    created = column("Issued", lambda token: cells.moment(token.created_at))


def _page_of(saved_query: SavedQuery) -> str:
    return reverse("admin:datasets_savedquery_change", args=[saved_query.pk])
