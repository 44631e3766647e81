"""The form of the template editor: the name and the text of the next version or draft.

Source: docs/reference/console.md §2.4; docs/reference/rendering.md §1.
"""

from typing import Any
from urllib.parse import quote

from django import forms

from config.console import cells
from config.console.checking import checked
from config.console.theme import CheckboxInput, RadioSelect, Textarea, TextInput
from notifications.admin.templates import languages, samples
from notifications.models import Channel, Template, TemplateVersion
from notifications.validation import names, tags, templates
from notifications.validation.languages import DEFAULT_LANGUAGE, MAX_CODE_CHARACTERS, parse_language

_TYPES = (
    (Channel.EMAIL, "Email: a subject and a body with headings, lists and links"),
    (Channel.SMS, "Text message: up to 918 characters"),
)
_EMAILS_ONLY = "Emails only."


class TemplateForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """based_on: the version on which the edit is based. A newer version is never overwritten unseen (trap T10).

    theirs: the newer version, or None
    """

    theirs: TemplateVersion | None = None

    type = forms.ChoiceField(label="Type", choices=_TYPES, initial=Channel.EMAIL, widget=RadioSelect)
    subject = forms.CharField(required=False, strip=False, max_length=1000, widget=TextInput, help_text=_EMAILS_ONLY)
    content = forms.CharField(
        label="Message",
        strip=False,
        widget=Textarea(attrs={"rows": 16, "spellcheck": "true"}),
        help_text="Put ((double brackets)) around the parts that change, like ((name)). "
        "To show words only sometimes: ((late??You are late.))",
    )
    language = forms.CharField(
        required=False,
        max_length=MAX_CODE_CHARACTERS,
        widget=TextInput,
        help_text="A code, such as en or cy. Messages in a language without a text of its own use this text.",
    )
    unsubscribe_link = forms.BooleanField(
        label="Add an unsubscribe link at the end",
        required=False,
        widget=CheckboxInput,
        help_text=f"{_EMAILS_ONLY} Recipients confirm on a web page. Their requests appear under Unsubscribe requests.",
    )
    tags = forms.CharField(
        required=False,
        widget=TextInput,
        help_text="Words that group templates in the list, separated by commas.",
    )
    note = forms.CharField(
        label="Note for this version", required=False, max_length=255, widget=TextInput, help_text="Only staff see it."
    )
    based_on = forms.IntegerField(required=False, widget=forms.HiddenInput(attrs={"data-start": ""}))

    class Meta:
        model = Template
        fields = ("service", "type", "name", "redact_personalisation", "respect_quiet_hours")
        labels = {
            "redact_personalisation": "Hide personal details after sending",
            "respect_quiet_hours": "Respect quiet hours",
        }
        help_texts = {
            "name": "Recipients never see it.",
            "redact_personalisation": "Staff see “hidden” instead of all values, also in messages already sent. "
            "This cannot be undone.",
            "respect_quiet_hours": "During the quiet hours of the service, messages wait until they end. "
            "Leave this off for messages that people wait for, such as codes.",
        }
        widgets = {"redact_personalisation": CheckboxInput, "respect_quiet_hours": CheckboxInput}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        version = None if self.instance._state.adding else self.instance.newest()
        typed = self.data or (languages.fields(version) if version else {})
        sections = [(one, languages.form_fields(one, self.instance.type)) for one in languages.sections(typed)]
        for _, fields in sections:
            self.fields |= fields
        self.language_sections = [(one, [self[name] for name in fields]) for one, fields in sections]
        if version is None:
            return
        for name in ("service", "type"):  # fixed after creation: callers' programs contain its id
            self.fields.pop(name, None)
        for name in ("subject", "unsubscribe_link"):  # the form has them for emails only
            if name in self.fields:
                self.fields[name].help_text = self.fields[name].help_text.removeprefix(_EMAILS_ONLY).strip()
        if self.instance.redact_personalisation and "redact_personalisation" in self.fields:
            self.fields["redact_personalisation"].disabled = True
        self.initial = {
            **self.initial,
            "name": version.name,
            "subject": version.subject or "",
            "content": version.content,
            "unsubscribe_link": version.unsubscribe_link,
            "language": version.language,
            "tags": ", ".join(self.instance.tag_names()),
            "based_on": self.instance.last_number(),
        }

    def clean_name(self) -> str:
        """Check a changed name. An unchanged name stays valid, even if today's rules reject it."""
        typed: str = self.cleaned_data["name"]
        return typed if typed == self.initial.get("name") else checked(names.parse_name, typed)

    def clean_subject(self) -> str:
        return languages.plain_text(self.cleaned_data["subject"])

    def clean_language(self) -> str:
        typed: str = self.cleaned_data["language"] or self.initial.get("language") or DEFAULT_LANGUAGE
        return checked(parse_language, typed.strip())

    def clean_tags(self) -> list[str]:
        return checked(tags.typed_tags, self.cleaned_data["tags"])

    def clean_content(self) -> str:
        """Replace CRLF, which browsers send, with LF."""
        return languages.plain_text(self.cleaned_data["content"])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        channel = Channel(cleaned.get("type") or self.instance.type or Channel.EMAIL)
        subject, content = cleaned.get("subject"), cleaned.get("content")
        for field, error in templates.find_errors(subject, content, is_text_message=channel is Channel.SMS):
            self.add_error(field, error)
        subject = "" if channel is Channel.SMS else cleaned.get("subject") or ""
        texts = [subject, cleaned.get("content") or "", *languages.texts(self.data)]
        cleaned["defaults"] = samples.read_defaults(self.data, *texts)
        for name, reason in templates.find_default_errors(cleaned["defaults"], *texts):
            field = f"{samples.DEFAULT}{name}"
            widget = Textarea({"id": f"id_{quote(field, safe='')}"})  # as the page writes it
            self.fields[field] = forms.CharField(label=f"Default value for {name}", widget=widget)
            self.add_error(field, reason)
        cleaned["translations"] = languages.to_store(self.data, channel)
        for index, field, error in templates.find_translation_errors(
            cleaned.get("language", ""), cleaned["translations"], is_text_message=channel is Channel.SMS
        ):
            self.add_error(f"{field}-{languages.read(self.data)[index].number}", error)
        self._refuse_newer_version(cleaned)
        return cleaned

    def text(self) -> dict[str, Any]:
        """Return the submitted fields of a version. Text messages have no subject and no unsubscribe link."""
        cleaned = self.cleaned_data
        text = {name: cleaned[name] for name in ("name", "content", "defaults", "language", "translations")}
        if self.instance.type == Channel.SMS:
            return {**text, "subject": None, "unsubscribe_link": False}
        return {**text, "subject": cleaned["subject"], "unsubscribe_link": cleaned["unsubscribe_link"]}

    def _refuse_newer_version(self, cleaned: dict[str, Any]) -> None:
        seen = cleaned.get("based_on")
        if self.instance._state.adding or seen is None:
            return
        stored = Template.objects.select_for_update().get(pk=self.instance.pk)  # of two saves at once, one is later
        newest = stored.newest()
        if newest.number > seen:
            self.theirs = newest
            # The page now shows both versions, so a second save overwrites deliberately.
            self.data = {**{name: self.data.get(name) for name in self.data}, "based_on": stored.last_number()}
            who = cells.author(newest.created_by) or "Somebody"
            raise forms.ValidationError(
                f"{who} saved version {newest.number} while you edited version {seen}. "
                "Both texts are below. Your text is not saved. Copy the parts you want to keep, then save again."
            )
