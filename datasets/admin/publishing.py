"""Making something public needs a recent sign-in."""

from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.html import format_html

from config.console import recent_sign_in


class PublishingForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """may_publish: whether the last sign-in is recent; where_to_prove: the URL that asks for the password."""

    may_publish = True
    where_to_prove = ""

    def clean_publication(self, name: str, what: str) -> bool:
        """Return the value of a checkbox that makes something public. what: such as "the records" """
        wanted: bool = self.cleaned_data[name]
        if wanted and not self.may_publish and name in self.changed_data:
            raise forms.ValidationError(
                format_html(
                    'To make {} public, <a href="{}" target="_blank">enter your password again</a> '
                    "(opens in a new tab), then save again.",
                    what,
                    self.where_to_prove,
                )
            )
        return wanted


def of_request(request: HttpRequest) -> dict[str, Any]:
    """Return the attributes of the form for this request."""
    return {"may_publish": recent_sign_in.is_recent(request), "where_to_prove": recent_sign_in.ask(request).url}
