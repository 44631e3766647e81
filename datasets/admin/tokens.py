"""Issue, rotate and revoke access tokens. Tokens are never deleted. Source: docs/reference/console.md §2.15."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from config import formats
from config.console import cells
from config.console.admin import Button, ShownOnceAdmin
from config.console.admin.columns import column
from config.console.shown_once import Secret, Snippet, new_nonce, spend
from config.data_sets import service_names
from datasets import tokens
from datasets.admin import examples, service_forms, tabs, tokens_tab
from datasets.admin.access import (
    ManagersAndOwners,
    author,
    mark,
    parts_of,
    readable_by,
    tokens_of,
)
from datasets.admin.data_sets import EXPLANATION
from datasets.admin.token_forms import NewTokenForm, RotationForm, TokenNoteForm
from datasets.models import AccessToken, DataSet


@admin.register(AccessToken)
class AccessTokenAdmin(ManagersAndOwners, ShownOnceAdmin):
    empty = (
        "No access tokens of your data sets yet. Programs need one to write or read. A new data set has a first token."
    )
    list_display = ("beginning", "data_set", "may", "state", "last_used", "ends", "made_by", "created")
    list_filter = ("may_write", "may_read", ("data_set", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("data_set__group", "data_set__type", "created_by")
    create_verb = "Issue"
    row_actions = {"rotate": "rotate", "revoke": "revoke"}
    protected_actions = frozenset({"rotate"})
    add_form = NewTokenForm
    add_fields = ("data_set", "scopes", "of_services", "expires_at", "note")
    form = TokenNoteForm
    fields = (
        "beginning",
        "data_set",
        "may",
        "reads",
        "state",
        "last_used",
        "used_from",
        "ends",
        "made_by",
        "created",
        "note",
    )
    editable = frozenset({"note"})  # a program uses the token

    def get_queryset(self, request: HttpRequest) -> QuerySet[AccessToken]:
        return tokens_of(request).order_by("-created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_module_permission(request)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "data_set":
            kwargs["queryset"] = readable_by(request).select_related("group", "type")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Ask for services only if the person reads statistics of Signalbox in part."""
        found = super().get_fields(request, obj)
        asks = obj is not None or parts_of(request).exists()
        return found if asks else tuple(name for name in found if name != "of_services")

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is None:
            kwargs["form"] = type(NewTokenForm.__name__, (NewTokenForm,), service_forms.of_request(request))
        return super().get_form(request, obj, change=change, **kwargs)

    def get_changeform_initial_data(self, request: HttpRequest) -> Any:
        chosen = self._asked_for(request)
        scopes = {"scopes": ["read"]} if chosen is not None and chosen.is_of_product else {}
        return {**super().get_changeform_initial_data(request), **scopes}

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        return [Button("Rotate…", "rotate"), Button("Revoke…", "revoke", tone="ending")] if obj.is_live else []

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
            return
        spend(request)
        cleaned = form.cleaned_data
        issued, obj.secret = tokens.issue(
            cleaned["data_set"],
            cleaned["scopes"],
            by=author(request),
            note=cleaned["note"],
            expires_at=cleaned["expires_at"],
            services=form.read_services,
        )
        obj.pk, obj.prefix = issued.pk, issued.prefix
        self._audit_issue(request, issued)

    def secret_of(self, request: HttpRequest, obj: Any) -> Secret:
        """Describe a new token."""
        example = examples.write if obj.scopes[:1] == ["write"] else examples.read
        return Secret(
            kind="Access token",
            name=str(obj.data_set),
            value=obj.secret,
            explanation=EXPLANATION,
            parts=(Snippet("URL", examples.url(obj.data_set)),),
            snippets=(Snippet("Try it", example(obj.data_set, obj.secret)),),
            where_next=("Show all tokens", tabs.url(obj.data_set, "tokens")),
        )

    def give_title(self, request: HttpRequest, obj: Any) -> None:
        """Also set the breadcrumbs above a token: the list of data sets, and the tokens of its data set."""
        super().give_title(request, obj)
        data_sets = {"title": "Data sets", "link": reverse("admin:datasets_dataset_changelist")}
        obj.crumbs_above = [data_sets, {"title": str(obj.data_set), "link": tabs.url(obj.data_set, "tokens")}]

    def page_context(self, request: HttpRequest, title: str, obj: Any = None) -> dict[str, Any]:
        """Add the tabs of the data set to each page of a token."""
        return {
            **super().page_context(request, title, obj),
            **(_tabs(request, obj.data_set) if obj is not None else {}),
        }

    def action_page(self, request: HttpRequest, obj: Any, *args: Any, **context: Any) -> HttpResponse:
        url = tabs.url(obj.data_set, "tokens")
        return super().action_page(request, obj, *args, row_url=url, **context)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        token = kwargs.get("obj")
        chosen = token.data_set if token is not None else self._asked_for(request)
        extra = _tabs(request, chosen) if chosen is not None else {}
        return super().render_change_form(request, {**context, **extra}, *args, **kwargs)

    def _asked_for(self, request: HttpRequest) -> DataSet | None:
        """Return the data set of a new token from the form or the URL, if this person may see it."""
        pk = request.POST.get("data_set") or request.GET.get("data_set", "")
        return readable_by(request).filter(pk=pk).first() if pk.isascii() and pk.isdigit() else None

    def rotate(self, request: HttpRequest, token: AccessToken) -> HttpResponse:
        title = f"Rotate {token}"
        if not token.is_live:
            return self.error_page(request, token, title, "This token has expired or was revoked. Issue a new token.")
        form = RotationForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            spend(request)
            successor, secret = tokens.rotate(token, ends_at=form.ends_at(), by=author(request))
            successor.secret = secret  # type: ignore[attr-defined]  # only for the page
            ends = form.ends_at().isoformat()
            self.audit(request, "rotated", token, after={"name": token.prefix, "expires_at": ends})
            self._audit_issue(request, successor)
            return self.secret_page(request, successor)
        explanation = [
            "You get a new token with the same scopes. It is shown once. Both work until the old one expires."
        ]
        context = {"explanation": explanation, "form": form, "nonce": new_nonce(request)}
        return self.action_page(request, token, title, "Rotate token", **context)

    def revoke(self, request: HttpRequest, token: AccessToken) -> HttpResponse:
        title = f"Revoke {token}"
        if token.revoked_at is not None:
            return self.error_page(request, token, title, "This token is already revoked. It cannot be used again.")
        if request.method == "POST":
            tokens.revoke(token)
            self.audit(request, "revoked", token, before={"name": token.prefix, "scopes": token.scopes})
            url = tabs.url(token.data_set, "tokens")
            return self.action_done(request, url, f"{token} is revoked. The next call with it fails.")
        used = f"Last used {formats.on(token.last_used_at)}." if token.last_used_at else "It has never been used."
        others = tokens.live_of(token.data_set).exclude(pk=token.pk).filter(may_write=True).exists()
        warning = (
            "Nobody can write to this data set until you issue another token." if token.may_write and not others else ""
        )
        explanation = [
            used,
            "The next request with this token is refused. This cannot be undone.",
            *([warning] if warning else []),
        ]
        button = "Revoke token"
        return self.action_page(request, token, title, button, explanation, is_destructive=True)

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        return HttpResponseRedirect(tabs.url(obj.data_set, "tokens"))

    def _audit_issue(self, request: HttpRequest, token: AccessToken) -> None:
        after = {"name": token.prefix, "scopes": token.scopes}
        after |= {"services": token.services} if token.services is not None else {}
        self.audit(request, "issued", token, after=after)

    beginning = column("Token", lambda token: cells.code(f"{token.prefix}…"))
    reads = column("Records", lambda token: _records(token))
    may = column("Scopes", lambda token: cells.chips(token.scopes, "accent"))
    state = column("State", tokens_tab.state)
    last_used = column("Last used", lambda token: cells.moment(token.last_used_at, never="Never"))
    used_from = column("Last used from", lambda token: token.last_used_from or "–")
    ends = column("Expires", lambda token: cells.moment(token.expires_at, never="Never"))
    created = column("Issued", lambda token: cells.moment(token.created_at))
    made_by = column("Issued by", lambda token: str(token.created_by or "–"))


def _records(token: AccessToken) -> str:
    """Return which records the token reads."""
    if not token.may_read or token.services is None:
        return "All" if token.may_read else "–"
    names = service_names([UUID(one) for one in token.services])
    return f"Of {formats.listed(list(names.values()), 'and')}" if names else "Of services that no longer exist"


def _tabs(request: HttpRequest, data_set: DataSet) -> dict[str, Any]:
    mark(request, data_set)
    return {"tabs": tabs.of(data_set, "tokens"), "tabs_of": data_set}
