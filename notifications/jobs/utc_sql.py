"""Hours and months of UTC in SQL. Django's functions for them call Python for each row on SQLite."""

from typing import Any

from django.db.models import Func, IntegerField, TextField


class UtcHour(Func):
    """The hour of a moment, 0 to 23."""

    output_field = IntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # Any: as Django's
        template = "EXTRACT(HOUR FROM %(expressions)s AT TIME ZONE 'UTC')::integer"
        return super().as_sql(compiler, connection, template=template, **extra)

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        return super().as_sql(compiler, connection, template="CAST(substr(%(expressions)s, 12, 2) AS integer)", **extra)


class UtcMonth(Func):
    """The month of a day, such as `2026-07`."""

    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        return super().as_sql(compiler, connection, template="to_char(%(expressions)s, 'YYYY-MM')", **extra)

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        return super().as_sql(compiler, connection, template="substr(%(expressions)s, 1, 7)", **extra)
