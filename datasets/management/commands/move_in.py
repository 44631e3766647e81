"""Take over a dump of the 2018 data store."""

import gc
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import audit
from config.areas import DocumentErrors
from config.invalid import InvalidValue
from config.management.commands import provision
from datasets.errors import DataSetError
from datasets.imports import details, job, starting
from datasets.management import moving_in
from datasets.management.moving_in import FormerDataSet
from datasets.models import DataImport, DataSet, ImportState

_FORMAT = {"format": "mongoexport"}


class Command(BaseCommand):
    help = (
        "Take over a dump of the 2018 data store: a folder with the list data-sets.json and the output of mongoexport "
        "for each data set. It creates the data sets with their settings and tokens, and imports their records. Run it "
        "again after an interruption: a data set that has records is left as it is. "
        "Example: manage.py move_in dump --dry-run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder of the dump")
        parser.add_argument("--dry-run", action="store_true", help="show what would be done, and store nothing")
        parser.add_argument(
            "--overwrite",
            metavar="GROUP/TYPE",
            action="append",
            default=[],
            help="import the records of this data set although it has some; equal ids are replaced",
        )

    def handle(self, *args: Any, folder: Path, dry_run: bool, overwrite: list[str], **options: Any) -> None:
        try:
            found = moving_in.read(folder)
        except InvalidValue as error:
            raise CommandError(str(error)) from error
        if unknown := sorted(set(overwrite) - {one.path for one in found}):
            raise CommandError(f"The list has no data set {unknown[0]}.")
        if not dry_run:
            self._provision(found)
        gc.freeze()  # as import_records does
        is_well = True
        for one in found:
            for note in one.notes:
                self.stdout.write(f"{one.path}: {note}")
            if dry_run:
                self.stdout.write(f"{one.path}: would be created or kept, with {one.file or 'no records'}")
            elif one.file is not None:
                is_well &= self._import(one, one.file, overwrites=one.path in overwrite)
        if not is_well:
            raise CommandError("Not all records were imported. Correct the cause, and run the command again.")

    def _provision(self, found: list[FormerDataSet]) -> None:
        errors = DocumentErrors()
        done = provision.apply({"data_sets": [one.entry for one in found]}, errors)
        if errors.lines:
            raise CommandError("\n".join(["Nothing was changed.", *errors.lines]))
        for one, completed in zip(found, done["data_sets"], strict=True):  # type: ignore[call-overload]  # a list
            for token in completed["tokens"]:
                if not one.entry["tokens"]:
                    self.stdout.write(f"{one.path}: new token with scope write: {token['token']}")

    def _import(self, one: FormerDataSet, file: Path, *, overwrites: bool) -> bool:
        """Import the records, or go on where an import was interrupted. Return whether all rows were read."""
        data_set = DataSet.objects.at(*one.path.split("/")).get()
        run = DataImport.objects.filter(data_set=data_set, file_name=file.name).order_by("-started_at").first()
        if run is None or run.finished_at is not None:
            if data_set.record_count and not overwrites:
                if run is not None and run.state != ImportState.FINISHED:
                    self.stderr.write(f"{one.path}: its last import did not finish. Use --overwrite {one.path}")
                    return False
                self.stdout.write(f"{one.path}: has {data_set.record_count:,} records, and is left as it is")
                return True
            try:
                run = starting.start(data_set, file, dict(_FORMAT), by=audit.operator(), name=file.name)
            except (DataSetError, OSError) as error:
                self.stderr.write(f"{one.path}: {error}")
                return False
        while job.work(run):
            run.refresh_from_db()
        run.refresh_from_db()
        return self._show(one, run)

    def _show(self, one: FormerDataSet, run: DataImport) -> bool:
        found = details.of(run)
        if run.state == ImportState.FINISHED:
            self.stdout.write(f"{one.path}: {run.stored:,} of {run.total:,} records stored, {run.rejected:,} rejected")
            for error in found.errors:
                self.stderr.write(f"{one.path}: row {error['row']}: {error['column'] or 'the row'}: {error['message']}")
            return True
        if run.state == ImportState.NEEDS_ANSWERS:
            starting.cancel(run)
            self.stderr.write(f"{one.path}: {' '.join(one['message'] for one in found.questions)}")
        else:
            self.stderr.write(f"{one.path}: {run.error or f'the import is {run.state}'}")
        return False
