"""Show, build, verify or drop the column files of data sets."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Count, Q, Sum

from datasets.columns import building, verifying
from datasets.models import DataSet, Segment

_BUILD_SECONDS = 24 * 60 * 60


class Command(BaseCommand):
    help = (
        "Show, build, verify or drop the column files of large data sets. status prints one line for each data set. "
        "build builds all that may be built now, without waiting for writers to pause. verify compares each file with "
        "the records. drop makes all answers come from the row store until the files are built again. "
        "Example: manage.py columns verify --set pay/volumes. Exit codes: 0 on success, 1 if a file differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["status", "build", "verify", "drop"])
        parser.add_argument("--set", metavar="GROUP/TYPE", help="only this data set", dest="path")

    def handle(self, *args: Any, action: str, path: str | None, **options: Any) -> None:
        differing = 0
        for data_set in _chosen(path):
            if action == "build":
                building.build(data_set, seconds=_BUILD_SECONDS, wait=False)
            elif action == "drop":
                building.drop(data_set)
            elif action == "verify":
                for segment in verifying.differing(data_set):
                    differing += 1
                    self.stderr.write(f"{data_set}: the file of {segment.starts_at:%Y-%m-%d %H:%M:%S} differs")
            self.stdout.write(_status(data_set))
        if differing:
            raise CommandError(
                f"{differing} files differ. Run `columns drop` and `columns build`, and report this error."
            )


def _chosen(path: str | None) -> Iterator[DataSet]:
    """Return the data sets. Raises CommandError if there is none at the path."""
    if path is None:
        yield from DataSet.objects.select_related("group", "type").order_by("group__name", "type__name")
        return
    group, _, type = path.partition("/")
    found = DataSet.objects.at(group, type).first()
    if found is None:
        raise CommandError(f"There is no data set {path}. Write the group and the type, such as pay/volumes.")
    yield found


def _status(data_set: DataSet) -> str:
    found = Segment.objects.filter(store_id=data_set.store_id).aggregate(
        built=Count("pk", filter=Q(is_built=True)),
        open=Count("pk", filter=Q(is_built=False)),
        records=Sum("records", filter=Q(is_built=True), default=0),
        size=Sum("size_bytes", default=0),
    )
    return (
        f"{data_set}: {found['built']:,} segments built with {found['records']:,} records in {found['size']:,} bytes, "
        f"{found['open']:,} open"
    )
