"""Import a file into a data set."""

import gc
import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import audit
from datasets.errors import DataSetError
from datasets.imports import details, job, shown, starting
from datasets.imports.reading import settings as import_settings
from datasets.models import DataImport, DataSet, ImportState


class Command(BaseCommand):
    help = (
        "Import a file into a data set: CSV, TSV, .xlsx, .ods, NDJSON, a JSON array, Parquet or the output of "
        "mongoexport, each also compressed with gzip. If only a person can decide how the file is read, the command "
        "prints the questions with the settings that answer them, stores nothing and ends with 2. The same file again "
        "overwrites its records. Example: manage.py import_records visits.csv --set pay/visits --settings-file a.json."
    )

    requires_system_checks = []  # they load all pages: 11 MiB and a second; the programs of the service run them

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the file")
        parser.add_argument("--set", metavar="GROUP/TYPE", required=True, dest="data_set", help="the data set")
        parser.add_argument("--settings-file", metavar="FILE", type=Path, help="a JSON file with settings")
        parser.add_argument("--saved", metavar="NAME", help="saved settings of the data set")
        parser.add_argument("--dry-run", action="store_true", help="check all rows, and store nothing")
        parser.add_argument("--rejected", metavar="FILE", type=Path, help="write the rejected rows to this CSV file")

    def handle(self, *args: Any, file: Path, data_set: str, **options: Any) -> None:
        found = _data_set(data_set)
        try:
            given = starting.saved(found, options["saved"]) if options["saved"] else {}
            given = import_settings.merged(given, _settings(options["settings_file"]))
            if not file.is_file():
                raise CommandError(f"There is no file {file}.")
            if not file.stat().st_size:
                raise CommandError("The file is empty.")
            run = starting.start(
                found,
                file,
                starting.checked(found, given),
                by=audit.operator(),
                name=file.name,
                is_dry_run=options["dry_run"],
            )
        except DataSetError as error:
            raise CommandError(str(error)) from error
        gc.freeze()  # modules and classes: to look for garbage among them takes a tenth of the time of an import
        while job.work(run):
            run.refresh_from_db()
        run.refresh_from_db()
        self._print_result(run)
        if options["rejected"] and run.has_rejected_file:
            self._write_rejected(run, options["rejected"])

    def _print_result(self, run: DataImport) -> None:
        if run.state == ImportState.NEEDS_ANSWERS:
            self._ask(run)
        if run.state == ImportState.FAILED:
            raise CommandError(run.error)
        if run.state != ImportState.FINISHED:
            raise CommandError(f"The import is {run.state}. A worker or another person has changed it.")
        done = "would be stored" if run.is_dry_run else "stored"
        self.stdout.write(
            f"{run.total:,} rows: {run.stored:,} {done} ({run.new:,} new, {run.replaced:,} replaced), "
            f"{run.rejected:,} rejected, {run.left_out:,} left out"
        )
        for error in details.of(run).errors:
            self.stderr.write(f"row {error['row']}: {error['column'] or 'the row'}: {error['message']}")

    def _ask(self, run: DataImport) -> None:
        for question in details.of(run).questions:
            self.stderr.write(question["message"])
            for choice in question["choices"]:
                self.stderr.write(f"  {choice['label']}: {json.dumps(choice['settings'], ensure_ascii=False)}")
        starting.cancel(run)
        raise CommandError("Add an answer to each question to the settings, and import the file again.", returncode=2)

    def _write_rejected(self, run: DataImport, path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as target:
            target.writelines(shown.rejected_csv(run))


def _data_set(path: str) -> DataSet:
    group, _, type = path.partition("/")
    found = DataSet.objects.at(group, type).first()
    if found is None:
        raise CommandError(f"There is no data set {path}. Write the group and the type, such as pay/volumes.")
    return found


def _settings(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CommandError(f"The settings in {path} cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise CommandError(f"The settings in {path} must be an object.")
    return value
