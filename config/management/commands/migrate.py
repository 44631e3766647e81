"""Migrate the database, with a limit for each lock and several tries. It replaces Django's command of this name."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from config.databases import migrating


class Command(migrate.Command):
    help = (
        "Update the tables of the database. A table that is in use for 2 s stops a try; there are 10 tries. "
        "Example: manage.py migrate. Exit codes: 0 on success, 1 if a table stays in use or a migration fails."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        def pause(failed: int) -> None:
            self.stderr.write(f"A table is in use. Try {failed + 1} of {migrating.TRIES} follows.")
            migrating.sleep(failed)

        migrating.check_is_released(connections[options["database"]])
        migrating.with_tries(lambda: super(Command, self).handle(*args, **options), pause=pause)
