"""The form that confirms a step which cannot be undone."""

from typing import Any

from django import forms

from config.console.theme import TextInput


class TypedNameForm(forms.Form):
    """The name of the row, typed to confirm. wanted: the name"""

    name = forms.CharField(widget=TextInput)

    def __init__(self, *args: Any, wanted: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.wanted = wanted
        self.fields["name"].label = f"Enter {wanted} to confirm"

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self.wanted:
            raise forms.ValidationError(f"Enter {self.wanted} to confirm. Nothing has changed.")
        return self.wanted
