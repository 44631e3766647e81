"""The backend behind a DATABASE_URL that names SQLite; Django wants a module of this name.

Source: Security and reliability §12.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from django.db.backends.sqlite3 import base

from config.sqlite.turn import Turn, turn_of

SUFFIX = "-turn"
FILES = ("", "-wal", "-shm")


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, whose transactions wait for their turn to begin. Single statements ask SQLite as before."""

    _turn: Turn | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:  # Any: untyped in Django
        """Close a file of an older version to other users: new ones are made so."""
        for path in (f"{self.settings_dict['NAME']}{suffix}" for suffix in FILES):
            with suppress(OSError):
                if os.stat(path).st_mode & 0o077:
                    os.chmod(path, 0o600)
        return super().get_new_connection(conn_params)

    def _start_transaction_under_autocommit(self) -> None:
        name, seconds = self.settings_dict["NAME"], self.settings_dict["OPTIONS"]["timeout"]
        if not self.is_in_memory_db() and not str(name).startswith("file:"):  # an address and its options, no path
            self._turn = turn_of(f"{os.path.abspath(name)}{SUFFIX}")
        try:
            with nullcontext() if self._turn is None or self._turn.take(seconds) else self._asking_once(seconds):
                super()._start_transaction_under_autocommit()  # type: ignore[misc]  # not in django-stubs
        except BaseException:
            self._give_up_turn()
            raise

    @contextmanager
    def _asking_once(self, seconds: float) -> Iterator[None]:
        """Ask SQLite without waiting: that has been done."""
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def _commit(self) -> Any:  # Any: untyped in Django
        try:
            return super()._commit()  # type: ignore[misc]  # likewise
        finally:
            self._give_up_turn()

    def _rollback(self) -> Any:
        try:
            return super()._rollback()  # type: ignore[misc]  # likewise
        finally:
            self._give_up_turn()

    def _close(self) -> Any:
        try:
            return super()._close()  # type: ignore[misc]  # likewise
        finally:
            self._give_up_turn()

    def _give_up_turn(self) -> None:
        if self._turn is not None:
            turn, self._turn = self._turn, None
            turn.give_up()
