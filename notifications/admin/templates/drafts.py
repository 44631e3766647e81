"""Drafts of templates: saving, publishing, discarding, and restoring an earlier version as a draft.

Source: docs/reference/console.md §3.2.
"""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from config import audit
from notifications.admin.templates.archiving import ArchivingAdmin
from notifications.models import Template, TemplateVersion, VersionState
from notifications.submission.templates import breaks, changing
from notifications.submission.templates.changing import Editor

SAVE_DRAFT = "_save_draft"  # the name of the button
FOR_ALL_KEYS = "all"  # the value of the button that publishes for all keys


def named_version(template: Template, number: str) -> TemplateVersion:
    """Return the version with this number, as typed in a URL or a form. Raises Http404."""
    is_number = number.isascii() and number.isdecimal() and len(number) < 9  # fits the column
    version = template.versions.filter(number=int(number)).first() if is_number else None
    if version is None:
        raise Http404
    return version


class DraftsAdmin(ArchivingAdmin):
    """The actions on drafts. People who may edit templates may do all of them."""

    def publish(self, request: HttpRequest, template: Template) -> HttpResponse:
        """Show which calls the newest version would break, and publish it when the person confirms."""
        template = Template.objects.select_for_update().get(pk=template.pk)
        version = template.newest()
        if not version.is_unpublished:
            error = f"There is nothing to publish. Version {version.number} is already published."
            return self.error_page(request, template, "Publish", error)
        seen = request.POST.get("version"), request.POST.get("published")
        is_seen = seen == (str(version.number), str(template.current_version))
        if request.method == "POST" and is_seen:
            is_for_all = request.POST.get("keys") == FOR_ALL_KEYS
            broken = breaks.find(template, version)
            done = self.publish_version(
                request, template, version, is_for_all=is_for_all, missing=broken.names if broken else ()
            )
            return self.action_done(request, self.row_url(template), done)
        found = breaks.find(template, version)
        title = f"Publishing version {version.number} breaks calls" if found else f"Publish version {version.number}"
        return self.action_page(
            request,
            template,
            title,
            "Publish anyway" if found else f"Publish version {version.number}",
            template="admin/notifications/template_publish.html",
            version=version,
            breaks=found,
            days=breaks.DAYS,
            has_changed=request.method == "POST",
            is_for_test_keys=version.state == VersionState.TEST,
        )

    def discard(self, request: HttpRequest, template: Template) -> HttpResponse:
        """Take the unpublished version in the parameter `number` away from test keys. Its text stays in the list."""
        template = Template.objects.select_for_update().get(pk=template.pk)
        version = named_version(template, request.GET.get("number", ""))
        title = f"Discard version {version.number} of {template.name}"
        if not version.is_unpublished:
            return self.error_page(request, template, title, f"Version {version.number} is no longer a draft.")
        if request.method == "POST":
            version.change_state(VersionState.REPLACED)
            self.audit(request, "discarded_draft", template, before={"version": version.number})
            done = f"Version {version.number} is discarded. You can restore its text from the list of versions."
            return self.action_done(request, self.row_url(template), done)
        effect = "Calls of test keys that name the draft get an error then."
        if version.state == VersionState.TEST:
            effect = f"Test keys then use version {template.current_version}, like other keys."
        return self.action_page(
            request,
            template,
            title,
            f"Discard version {version.number}",
            [effect, "The text stays in the list of versions. You can restore it as a draft."],
            is_destructive=True,
        )

    def restore_as_draft(self, request: HttpRequest, template: Template) -> HttpResponse:
        """Make a draft with the text of the version in the parameter `number`."""
        template = Template.objects.select_for_update().get(pk=template.pk)
        chosen = named_version(template, request.GET.get("number", ""))
        newest = template.newest()
        if chosen == newest:
            error = f"Version {chosen.number} is the newest version. The editor already shows its text."
            return self.error_page(request, template, f"Restore version {chosen.number} as draft", error)
        if request.method == "POST":
            note = f"Text of version {chosen.number}"
            draft = template.save_draft(chosen.words(), note=note, author=audit.author(request))
            after = {"version": draft.number, "restored_version": chosen.number}
            self.audit(request, "restored_as_draft", template, before={"version": newest.number}, after=after)
            done = f"The text of version {chosen.number} is now the draft, version {draft.number}."
            return self.action_done(request, self.row_url(template), done)
        replaced = f"The draft, version {newest.number}, stays in the list of versions."
        return self.action_page(
            request,
            template,
            f"Restore version {chosen.number} as draft",
            "Restore as draft",
            [
                f"The text of version {chosen.number} becomes a new draft.",
                f"Messages use version {template.current_version} until you publish the draft.",
                *([replaced] if newest.state == VersionState.DRAFT else []),
            ],
        )

    def save_text(self, request: HttpRequest, template: Template, text: dict[str, Any], note: str) -> str:
        """Store a changed text as the draft, and publish it unless the person only saves. Return what was done.

        Return "" if publishing would break calls; then the text is a draft.
        """
        newest, is_draft = template.newest(), SAVE_DRAFT in request.POST
        is_changed = differs(newest, text)
        if not is_changed and (is_draft or not newest.is_unpublished):
            return f"The text has not changed. It is still version {newest.number}."
        if is_draft:
            version = changing.save_draft(template, text, editor_of(request), note=note)
            return f"Saved as a draft, version {version.number}. Messages use version {template.current_version}."
        version = template.save_draft(text, note=note, author=audit.author(request)) if is_changed else newest
        if breaks.find(template, version) is None:
            return self.publish_version(request, template, version, is_for_all=True)
        if is_changed:
            changing.record_draft(template, version, editor_of(request))
        return ""

    def publish_version(
        self,
        request: HttpRequest,
        template: Template,
        version: TemplateVersion,
        *,
        is_for_all: bool,
        missing: Sequence[str] = (),
    ) -> str:
        """Publish a version and return what was done. missing: the placeholders that some callers do not send"""
        if is_for_all:
            changing.publish(template, version, editor_of(request), missing=missing)
            return f"Saved as version {version.number}. Messages sent from now on use it."
        changing.publish_for_test_keys(template, version, editor_of(request), missing=missing)
        others = f"Other keys use version {template.current_version}."
        return f"Test keys use version {version.number} from now on. {others}"


def editor_of(request: HttpRequest) -> Editor:
    return Editor(actor=audit.person(request), author=audit.author(request))


def differs(version: TemplateVersion, text: dict[str, Any]) -> bool:
    """Return whether more than line ends has changed: browsers send CRLF, older texts may have LF."""
    return any(_plain(getattr(version, name)) != _plain(value) for name, value in text.items())


def _plain(value: object) -> object:
    return value.replace("\r\n", "\n") if isinstance(value, str) else value
