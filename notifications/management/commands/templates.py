"""Keep the templates of a service as files, and import them from another service.

Source: docs/reference/template-files.md §3, §4.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand

from config import audit
from config.reading import read_uuid
from notifications import errors
from notifications.management.template_files import folder, plan, showing
from notifications.management.template_files.folder import FilesInvalid
from notifications.management.template_files.other_service import NOT_SHOWN, OtherService, ReadFailed
from notifications.management.template_files.plan import ChangedMeanwhile, Plan, Wanted
from notifications.models import Service, Template, VersionState
from notifications.submission.templates.changing import Editor
from notifications.submission.templates.definitions import DefinitionInvalid, Publication, definition_of
from notifications.template_definitions.files import write

WRONG, BREAKING, DIFFERENT = 1, 3, 4  # exit codes
_CHANGES = ("push", "import")


class Command(BaseCommand):
    help = (
        "Keep the templates of a service as files. pull writes a file for each template, diff shows what push would "
        "change, push shows it, asks, and publishes it. import takes the templates of another service with the v2 API, "
        "such as GOV.UK Notify. Examples: manage.py templates pull templates --service Parks; "
        "manage.py templates push templates --service Parks --ci; "
        "manage.py templates import --from https://api.notifications.service.gov.uk --key - --service Parks. "
        "Exit codes: 0 on success, 1 after an error or if you decline, 3 if changes would break calls, "
        "4 if diff finds other differences."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        pull = actions.add_parser("pull", help="write a file for each template")
        diff = actions.add_parser("diff", help="show what push would change")
        push = actions.add_parser("push", help="publish the changed files")
        imports = actions.add_parser("import", help="take the templates of another service")
        for action in (pull, diff, push):
            action.add_argument("folder", type=Path, metavar="DIR", help="the folder with the files")
        imports.add_argument("--from", dest="url", required=True, metavar="URL", help="the URL of the other API")
        imports.add_argument("--key", required=True, metavar="FILE", help="a file with an API key of it; - reads stdin")
        for action in (pull, diff, push, imports):
            action.add_argument("--service", required=True, metavar="NAME", help="the service, by name or id")
        for action in (push, imports):
            action.add_argument("--ci", action="store_true", help="ask nothing, and refuse changes that break calls")
            action.add_argument("--breaking", action="store_true", help="publish changes although they break calls")
            action.add_argument("--draft", action="store_true", help="save changed texts as drafts")
            action.add_argument("--note", default="", help="a note for the new versions")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        service = self._service(options["service"])
        if action == "pull":
            self._pull(service, options["folder"])
            return
        paths: dict[str, Path] = {}
        if action == "import":
            wanted = self._read_other(options["url"], options["key"])
        else:
            wanted, paths = self._read_files(options["folder"])
        how = Publication(
            state=VersionState.DRAFT if options.get("draft") else VersionState.PUBLISHED,
            may_break=options.get("breaking", False),
            note=options.get("note", ""),
        )
        made = plan.make(service, wanted, how.state)
        self._show(made)
        if action not in _CHANGES:
            if made.steps:
                sys.exit(BREAKING if made.breaks_calls else DIFFERENT)
            return
        if made.steps:
            self._apply(service, made, self._confirmed(made, how, asks=not options["ci"]), paths)

    def _pull(self, service: Service, place: Path) -> None:
        rows = Template.objects.filter(service=service).order_by("created_at", "pk")
        stored = (definition_of(template, template.published(), with_files=True) for template in rows)
        try:
            changed, same = folder.store(place, stored)
        except FilesInvalid as error:
            self._stop(error.lines)
        except OSError as error:
            self._stop([f"{error.filename}: {error.strerror}"])
        for path in changed:
            self.stdout.write(f"written: {path}")
        self.stdout.write(f"{len(changed)} written, {len(same)} unchanged")

    def _read_files(self, place: Path) -> tuple[list[Wanted], dict[str, Path]]:
        if not place.is_dir():
            self._stop([f"{place} is not a folder."])
        try:
            found = folder.load(place)
        except FilesInvalid as error:
            self._stop(error.lines)
        wanted = [Wanted(label=str(path), definition=definition) for path, definition in found.items()]
        return wanted, {str(path): path for path, definition in found.items() if definition.id is None}

    def _read_other(self, url: str, key: str) -> list[Wanted]:
        try:
            wanted, skipped = OtherService(
                url, sys.stdin.readline() if key == "-" else Path(key).read_text()
            ).templates()
        except ReadFailed as error:
            self._stop([str(error)])
        except OSError as error:
            self._stop([f"{key}: {error.strerror}"])
        for name in skipped:
            self.stdout.write(f"left out, neither an email nor a text message: {showing.printable(name)}")
        if any(one.unknown == NOT_SHOWN for one in wanted):
            self.stdout.write("The other service shows names and texts only. Other fields stay as they are.")
        elif any(one.unknown for one in wanted):
            self.stdout.write("The other service does not show fixed files. They stay as they are.")
        return wanted

    def _show(self, made: Plan) -> None:
        if made.errors:
            self._stop(made.errors)
        for step in made.steps:
            for line in showing.lines(step):
                self.stdout.write(line)
        if not made.steps:
            self.stdout.write("No template differs.")

    def _confirmed(self, made: Plan, how: Publication, *, asks: bool) -> Publication:
        """Return how to publish after the questions. Exits if a change is declined or would break calls."""
        if made.breaks_calls and not how.may_break:
            if not asks:
                self.stderr.write("Some changes break calls. Nothing is changed. --breaking publishes them.")
                sys.exit(BREAKING)
            self._ask("Some changes break calls. Publish them anyway?")
            return replace(how, may_break=True)
        if asks:
            self._ask(f"Change {len(made.steps)} of the templates?")
        return how

    def _ask(self, question: str) -> None:
        self.stdout.write(f"{question} [y/N] ", ending="")
        self.stdout.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            self.stdout.write("Nothing is changed.")
            sys.exit(WRONG)

    def _apply(self, service: Service, made: Plan, how: Publication, paths: dict[str, Path]) -> None:
        editor = Editor(actor=audit.operator(), author=audit.operator().label)
        try:
            done = plan.apply(service, made, editor, how)
        except ChangedMeanwhile as error:
            self._stop([f"{error}: somebody changed this template meanwhile. Nothing is changed. Start again."])
        except errors.TemplateBreaksCalls as error:
            self.stderr.write(f"{error.message}. Nothing is changed.")
            sys.exit(BREAKING)
        except DefinitionInvalid as error:
            self._stop([f"{error} Nothing is changed."])
        for step, identifier in done:
            if path := paths.get(step.wanted.label):  # a new file gets the id, so that its name can change later
                path.write_bytes(write(replace(step.after, id=identifier)))
        self.stdout.write(f"changed: {len(done)}")

    def _service(self, text: str) -> Service:
        identifier = read_uuid(text)
        found = list(Service.objects.filter(**({"pk": identifier} if identifier else {"name": text}))[:2])
        if len(found) != 1:
            self._stop(["Several services have this name. Give the id." if found else "There is no such service."])
        return found[0]

    def _stop(self, lines: Sequence[str]) -> NoReturn:
        for line in lines:
            self.stderr.write(showing.printable(line))
        sys.exit(WRONG)
