"""Two versions of a template side by side, with the words that differ marked.

Source: docs/reference/console.md §3.2.
"""

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from notifications.admin.templates import differences, languages
from notifications.admin.templates.differences import TextSegment
from notifications.admin.templates.drafts import DraftsAdmin, named_version
from notifications.models import Channel, Template, TemplateVersion, VersionState

_OFFERED = 100  # the newest versions


ComparedPart = tuple[str, list[TextSegment]]  # name of a part of both texts, such as the subject


class ComparingAdmin(DraftsAdmin):
    """The page that compares two versions, for everybody who may see the template."""

    def compare(self, request: HttpRequest, template: Template) -> HttpResponse:
        """Compare the versions in the parameters `from` and `to`, by default the newest two that matter."""
        number = request.GET.get("to")
        after = template.newest() if number is None else named_version(template, number)
        number = request.GET.get("from")
        before = _before(template, after) if number is None else named_version(template, number)
        page = {
            **self.page_context(request, f"Compare versions of {template.name}", template),
            "versions": template.versions.defer("subject", "content")[:_OFFERED],
            "before": before,
            "after": after,
            "parts": list(_parts(template, before, after)) if before else [],
        }
        page["is_same"] = all(segment.is_same for _, segments in page["parts"] for segment in segments)
        return TemplateResponse(request, "admin/notifications/template_compare.html", page)


def _before(template: Template, after: TemplateVersion) -> TemplateVersion | None:
    """Return the version to compare with: the published one before it, or None."""
    earlier = template.versions.filter(number__lt=after.number, state=VersionState.PUBLISHED)
    return earlier.order_by("-number").first()


def _parts(template: Template, before: TemplateVersion, after: TemplateVersion) -> Iterator[ComparedPart]:
    yield ("Name", differences.segments(before.name, after.name))
    if template.type == Channel.EMAIL:
        yield ("Subject", differences.segments(before.subject or "", after.subject or ""))
    yield ("Message", differences.segments(before.content, after.content))
    yield from _in_other_languages(template, before, after)
    if before.defaults or after.defaults:
        yield ("Default values", differences.segments(_listed(before), _listed(after)))
    if template.type == Channel.EMAIL:
        links = ["Yes" if version.unsubscribe_link else "No" for version in (before, after)]
        yield ("Unsubscribe link", differences.segments(*links))


def _in_other_languages(template: Template, before: TemplateVersion, after: TemplateVersion) -> Iterator[ComparedPart]:
    if before.language != after.language:
        yield ("Language", differences.segments(before.language, after.language))
    first, second = ({one["language"]: one for one in version.translations} for version in (before, after))
    for code in {**first, **second}:
        texts = [found.get(code, {}) for found in (first, second)]
        if template.type == Channel.EMAIL:
            subjects = [text.get("subject") or "" for text in texts]
            yield (f"Subject, {languages.named(code)}", differences.segments(*subjects))
        yield (f"Message, {languages.named(code)}", differences.segments(*[text.get("content", "") for text in texts]))


def _listed(version: TemplateVersion) -> str:
    return "\n".join(f"(({name})): {text}" for name, text in sorted(version.defaults.items()))
