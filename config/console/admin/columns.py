"""Columns of a list and read-only fields of a row's page, as declarations."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin


def column(title: str, cell: Callable[[Any], Any], *, ordering: str | None = None) -> Any:  # Any: a row, its cell
    """Return an attribute of an admin that `list_display` or `fields` can name. cell: returns the cell of a row.

    sent = column("Sent", lambda file: cells.moment(file.created_at), ordering="created_at")
    """

    def shown(model_admin: object, row: Any) -> Any:
        return cell(row)

    return admin.display(shown, description=title, ordering=ordering)
