"""The difference between wanted templates and those of a service, and how it is stored.

Source: docs/reference/template-files.md §2.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import transaction

from notifications.models import Service, Template, TemplateVersion, VersionState
from notifications.submission.templates import definitions
from notifications.submission.templates.breaks import BreakingChange
from notifications.submission.templates.changing import Editor
from notifications.submission.templates.definitions import DefinitionInvalid, Publication, definition_of
from notifications.submission.templates.fixed_files import Changes
from notifications.template_definitions.definition import Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A template as a file or another service has it. label: its file or name, for people

    unknown: the fields that the other service did not show; a stored template keeps its own values of them
    """

    label: str
    definition: Definition
    unknown: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateChange:
    """The change of one template.

    before: None for a new one; files: the changes of fixed files; broken: how publishing it would break calls
    """

    wanted: Wanted
    before: Definition | None
    after: Definition
    files: Changes
    broken: BreakingChange | None = None

    @property
    def is_change(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """steps: of the valid templates, without those that stay the same; errors: one line for each of the others"""

    steps: Sequence[TemplateChange]
    errors: Sequence[str]

    @property
    def breaks_calls(self) -> bool:
        return any(step.broken for step in self.steps)


class ChangedMeanwhile(Exception):
    """A template was changed after its difference was shown."""


def make(service: Service, wanted: Sequence[Wanted], state: VersionState = VersionState.PUBLISHED) -> Plan:
    """Compare the wanted templates with those of the service. state: what happens to changed texts"""
    own = list(Template.objects.filter(service=service).order_by("created_at", "pk"))
    ids = [one.definition.id for one in wanted if one.definition.id]
    foreign = set(Template.objects.filter(pk__in=ids).exclude(service=service).values_list("pk", flat=True))
    steps, errors = [], []
    matched: dict[UUID, str] = {}
    for one in wanted:
        template = definitions.matching(service, one.definition, own)
        if template is not None and template.pk in matched:
            errors.append(f"{one.label}: {matched[template.pk]} is the same template.")
            continue
        if template is not None:
            matched[template.pk] = one.label
        try:
            steps.append(_step(service, one, template, state, foreign))
        except DefinitionInvalid as error:
            errors += [f"{one.label}: {name}: {reason}" for name, reason in error.errors]
    return Plan(steps=[step for step in steps if step.is_change], errors=errors)


def apply(service: Service, plan: Plan, editor: Editor, how: Publication) -> list[tuple[TemplateChange, UUID]]:
    """Store a plan: all of it or nothing. Return its steps with the ids of their templates.

    Raises ChangedMeanwhile, TemplateBreaksCalls, and DefinitionInvalid if a text in use needs a removed file.
    """
    done = []
    with transaction.atomic():
        for step in plan.steps:
            if step.before is None:
                made = definitions.create(service, step.after, editor, note=how.note, files=step.files)
                done.append((step, made.pk))
                continue
            template = Template.objects.select_for_update().get(pk=str(step.before.id))
            if definition_of(template, _compared(template, how.state), with_files=True) != step.before:
                raise ChangedMeanwhile(step.wanted.label)
            definitions.change(template, step.after, editor, how, files=step.files)
            done.append((step, template.pk))
    return done


def _step(
    service: Service, wanted: Wanted, template: Template | None, state: VersionState, foreign: set[UUID]
) -> TemplateChange:
    if template is None:
        is_taken = wanted.definition.id in foreign
        after = replace(wanted.definition, id=None) if is_taken else wanted.definition
        files, changes = definitions.checked_files(service, after.files, {})
        after = replace(definitions.checked(after, None), files=files)
        return TemplateChange(wanted=wanted, before=None, after=after, files=changes)
    before = definition_of(template, _compared(template, state), with_files=True)
    kept = {name: getattr(before, name) for name in wanted.unknown}
    after = definitions.checked(replace(wanted.definition, id=template.pk, **kept), before)
    files, changes = definitions.checked_files(service, after.files, before.files)
    after = replace(after, files=files)
    is_published = state == VersionState.PUBLISHED and after.text() != before.text()
    return TemplateChange(
        wanted=wanted,
        before=before,
        after=after,
        files=changes,
        broken=definitions.find_break(template, after) if is_published else None,
    )


def _compared(template: Template, state: VersionState) -> TemplateVersion:
    """Return the version that the text would replace."""
    return template.newest() if state == VersionState.DRAFT else template.published()
