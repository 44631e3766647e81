"""Find, export and erase everything about one recipient. Source: docs/reference/erasing.md."""

import os
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import audit
from config.databases import statements
from config.invalid import InvalidValue
from notifications.models import Service
from notifications.one_person import erasing, exporting, kinds, proof, searching
from notifications.one_person.exporting import Format
from notifications.one_person.person import Person

_WAIT_SECONDS = 1.0


class Command(BaseCommand):
    help = (
        "Show how much is stored about a phone number or email address, export it, and erase it. "
        "Without --service it covers all services. The result in the audit does not contain the recipient. "
        "Example: erase_recipient 07700900123 --export ann.json. Exit codes: 0 on success, 1 otherwise."
    )

    def run_from_argv(self, argv: list[str]) -> None:
        statements.allow(searching.SCAN_SECONDS)  # before the first connection
        super().run_from_argv(argv)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("recipient", metavar="RECIPIENT", help="a phone number or an email address")
        parser.add_argument("--service", metavar="NAME", help="only this service, by its name or id")
        parser.add_argument("--export", metavar="FILE", help="first write everything to a new .json or .csv file")
        parser.add_argument("--case", default="", help="a case reference for the audit, without the recipient")
        parser.add_argument("--yes", action="store_true", help="erase without asking")

    def handle(self, *args: Any, recipient: str, case: str, **options: Any) -> None:
        try:
            person = Person.parse(recipient, self._service(options["service"]))
            proof.check_case(case, person)
        except InvalidValue as error:
            raise CommandError(str(error)) from error
        numbers = kinds.counts(person)
        for kind in kinds.KINDS:
            self.stdout.write(f"{kind.title}: {numbers[kind.name]}")
        if options["export"]:
            self._export(person, Path(options["export"]))
        if options["yes"] or self._confirms():
            self._erase(person, case)

    def _service(self, name: str | None) -> Service | None:
        if not name:
            return None
        found = [one for one in Service.objects.all() if name in (one.name, str(one.pk))]
        if len(found) != 1:
            raise CommandError(
                "Give the id: several services have this name." if found else "No service has this name."
            )
        return found[0]

    def _export(self, person: Person, path: Path) -> None:
        try:
            form = Format(path.suffix.removeprefix(".").lower())
        except ValueError as error:
            raise CommandError("The name of the file must end with .json or .csv.") from error
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        with open(descriptor, "wb") as file:
            file.writelines(exporting.lines(person, form))
        proof.record_export(audit.operator(), person, form.value)
        self.stdout.write(f"Exported to {path}.")

    def _confirms(self) -> bool:
        answer = input("Erase all of this? It cannot be undone. Type “erase” to confirm: ")
        if answer.strip().strip('“”"').lower() == "erase":
            return True
        self.stdout.write("Nothing is erased.")
        return False

    def _erase(self, person: Person, case: str) -> None:
        erased: Counter[str] = Counter()
        erasing.overwrite_deleted_rows()
        for name, number in erasing.in_transactions(erasing.everything(person)):
            erased[name] += number
            if name == erasing.WAITS:
                erasing.wait(_WAIT_SECONDS)
        for _, number in erasing.in_transactions(erasing.saved_searches(person)):
            erased["saved_searches"] += number
        proof.record_erasure(audit.operator(), person, erased, case)
        erasing.empty_log_of_sqlite()
        self.stdout.write(f"Erased: {proof.sum_up(erased) or 'nothing'}.")
        for name, number in searching.reported(person).items():
            self.stdout.write(f"Not changed, and contains the recipient: {name}: {number}.")
        for name, number in searching.skipped(person).items():
            self.stdout.write(f"Not changed, and contains the recipient within a longer word: {name}: {number}.")
