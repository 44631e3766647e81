"""Apply the saved import settings of a data set of a `manage.py provision` document."""

from config import audit
from config.management.declarations import Declaration, DeclaredRow, Value
from datasets.errors import ImportSettingsWrong
from datasets.imports import starting
from datasets.models import DataSet, SavedImportSettings


class ImportSettingsDeclaration(Declaration):
    """Saved settings of imports. The name finds them among those of the data set."""

    name = Value(str, required=True)
    settings = Value(dict, required=True)


def apply(data_set: DataSet, declared: list[DeclaredRow]) -> None:
    """Create the declared settings, or replace those with the same names. Others stay."""
    known = {one.name: one.settings for one in SavedImportSettings.objects.filter(data_set=data_set)}
    names: set[str] = set()
    for entry in declared:
        name = entry.values["name"].strip()
        if name in names:
            entry.refuse("name", "is declared twice")
        names.add(name)
        try:
            settings = starting.checked(data_set, {**entry.values["settings"], "save_as": name})
        except ImportSettingsWrong as error:
            key, _, message = str(error).partition(": ")
            entry.refuse(
                "name" if key == "save_as" else "settings" if key == "settings" else f"settings.{key}", message
            )
            continue
        if name not in known and len(known.keys() | names) > starting.MAX_SAVED:
            entry.refuse("", f"a data set can have at most {starting.MAX_SAVED} saved settings")
        elif starting.save_settings(data_set, settings):
            audit.record(audit.operator(), "changed", data_set, after={"import_settings": name})
