"""The list of protected sender names, edited by operators."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from config import audit
from config.accounts import scope
from config.console import cells
from config.console.admin import Button, ConsoleModelAdmin
from config.console.admin.model_admin import OpenTo
from config.console.checking import checked
from notifications.models import ProtectedName
from notifications.models.protected_name import MAX_LIKENESS
from notifications.validation import protected


class ProtectedNameForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    class Meta:
        model = ProtectedName
        fields = ("name", "rule")
        help_texts = {
            "name": "For example HMRC. Similar names, such as H.M.R.C or hmrc, are refused too. "
            "Services and senders that already have such a name keep it.",
            "rule": "Names such as Info or SMS are too general: recipients cannot know the sender.",
        }

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        checked(protected.check_new_protected, name, ProtectedName.objects.values_list("name", flat=True))
        self.instance.likeness = protected.likeness(name)[:MAX_LIKENESS]
        return name


@admin.register(ProtectedName)
class ProtectedNameAdmin(OpenTo, ConsoleModelAdmin):
    """Names that nobody, or only operators, may give to a service or a text message sender."""

    people = scope.is_operator
    form = ProtectedNameForm
    fields = ("name", "rule", "added")
    add_fields = ("name", "rule")
    editable = frozenset()
    list_display = ("name", "rule", "added")
    list_filter = ("rule",)
    create_verb = "Add"
    row_actions = {"remove": "remove"}
    change_list_template = "admin/notifications/protected_name_list.html"
    empty = "No protected names. Any team can use any text message sender and service name."

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_by = audit.author(request)
        super().save_model(request, obj, form, change)

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        return [Button("Remove…", "remove", tone="ending")]

    def remove(self, request: HttpRequest, row: ProtectedName) -> HttpResponse:
        if request.method == "POST":
            self.delete_model(request, row)
            return self.action_done(request, self.list_url(), f"{row.name} is removed from the list.")
        explanation = ["Everybody who manages a service or its API can then use this name."]
        return self.action_page(
            request, row, f"Remove {row.name} from the protected names", "Remove name", explanation, is_destructive=True
        )

    @admin.display(description="Added", ordering="created_at")
    def added(self, row: ProtectedName) -> SafeString:
        if not row.created_by:
            return cells.two_lines(cells.moment(row.created_at), "with the installation")
        return cells.moment_by(row.created_at, row.created_by)
