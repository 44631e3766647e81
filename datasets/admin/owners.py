"""The form field of a data set's owners: remove current owners, add others by name.

Source: docs/reference/console.md §2.14.
"""

from typing import Any

from django import forms
from django.contrib.auth.models import User

from config.accounts import lookup
from config.console.theme import CheckboxSelectMultiple, TextInput
from datasets.models import DataSet

_OFFERED = 500  # accounts suggested by the browser


class OwnersField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # no parameter at run time
    """Compare keys with the choices in Python, because the database rejects numbers beyond 64 bits."""

    def clean(self, value: Any) -> Any:
        known = {str(pk) for pk in self.queryset.values_list("pk", flat=True)} if self.queryset is not None else set()
        for one in value or ():
            if str(one) not in known:
                raise forms.ValidationError(self.error_messages["invalid_choice"], params={"value": one})
        return super().clean(value)


class OwnersForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """The current owners of a data set or dashboard as checkboxes, and a field to add another.

    editor: the person who uses the form
    manages_all: whether this person may leave a row without owners
    noun: the name of a row in messages
    """

    editor: User
    manages_all = False
    noun = "data set"

    owners = OwnersField(
        queryset=User.objects.none(),
        required=False,
        widget=CheckboxSelectMultiple,
        help_text="Owners can change everything here. Clear a checkbox to remove an owner.",
    )
    add_owner = forms.CharField(
        label="Add an owner",
        required=False,
        max_length=lookup.MAX_CHARACTERS,
        widget=TextInput(attrs={"list": "accounts", "autocomplete": "off", "autocapitalize": "none"}),
        help_text="The user name or email address of an account.",
    )

    class Meta:
        model = DataSet
        fields = ("owners",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        owners: Any = self.fields["owners"]
        if self.instance.pk:
            owners.queryset = self.instance.owners.order_by("username")
        else:
            owners.queryset = User.objects.filter(pk=self.editor.pk)
            self.initial.setdefault("owners", [self.editor])

    def clean_add_owner(self) -> User | None:
        typed: str = self.cleaned_data["add_owner"]
        found = lookup.named(typed) if typed else None
        if typed and (found is None or not (found.is_active and found.is_staff)):
            raise forms.ValidationError(f"No active account has the user name or email address “{typed}”.")
        return found

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        added = cleaned.get("add_owner")
        if "owners" in cleaned and "add_owner" in cleaned:
            kept = [*cleaned["owners"], *([added] if added else [])]
            cleaned["owners"] = User.objects.filter(pk__in=[one.pk for one in kept])
            if not kept and not self.manages_all:
                self.add_error("owners", f"A {self.noun} needs at least one owner. Add another owner first.")
        return cleaned


def accounts() -> list[str]:
    """Return the user names that the browser suggests."""
    found = User.objects.filter(is_active=True, is_staff=True).order_by("username")
    return list(found.values_list("username", flat=True)[:_OFFERED])
