"""Start, change and cancel imports: the rules that the API, the console and the command share.

Source: docs/reference/imports.md §1, §2.
"""

import uuid
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from config import audit
from config.audit.models import ActorKind
from config.queue import publishing
from config.queue.app import app
from datasets.errors import ImportSettingsWrong, ImportStateWrong, TooManyImports
from datasets.imports import files, kept
from datasets.imports.reading import settings as import_settings
from datasets.imports.reading.settings import WrongSettings
from datasets.models import AccessToken, DataImport, DataSet, ImportState, SavedImportSettings
from datasets.models.data_import import UNFINISHED, WORKING

MAX_UNFINISHED = 20  # imports of a data set
MAX_SAVED = 100  # settings of a data set
_MAX_NAME = 255
WORK_TASK = "datasets.tasks.work_on_import"

Json = dict[str, Any]  # Any: JSON


def checked(data_set: DataSet, given: object) -> Json:
    """Return settings without nulls. Raises ImportSettingsWrong."""
    settings = import_settings.merged({}, given)
    try:
        parsed = import_settings.parse(settings)
    except WrongSettings as error:
        raise ImportSettingsWrong(reason=str(error)) from error
    if parsed.id is not None and data_set.auto_ids:
        raise ImportSettingsWrong(reason=f"id: the data set makes the _id from {', '.join(data_set.auto_ids)}")
    return dict(settings)


def saved(data_set: DataSet, name: str) -> Json:
    """Return saved settings. Raises ImportSettingsWrong."""
    found = SavedImportSettings.objects.filter(data_set=data_set, name=name).first()
    if found is None:
        raise ImportSettingsWrong(reason=f"settings: no settings are saved as {name[:60]}")
    return dict(found.settings)


def check_room(data_set: DataSet) -> None:
    """Raise TooManyImports if the data set has too many that are not finished."""
    if DataImport.objects.filter(data_set=data_set).unfinished().count() >= MAX_UNFINISHED:
        raise TooManyImports(limit=MAX_UNFINISHED)


def start(
    data_set: DataSet,
    path: Path,
    given: Json,
    *,
    by: audit.Actor,
    name: str = "",
    is_dry_run: bool = False,
    waits: bool = False,
    token: AccessToken | None = None,
    person: Any = None,
) -> DataImport:
    """Keep a file and start to read it. given: checked settings. Raises TooManyImports."""
    check_room(data_set)
    kept.make_room(data_set)
    run = DataImport(
        id=uuid.uuid4(),
        data_set=data_set,
        given=given,
        settings=given,
        token=token,
        by=person,
        label=by.label,
        ip_address=by.ip_address,
        is_dry_run=is_dry_run,
        waits=waits,
        file_name=_printable(name)[:_MAX_NAME],
        file_bytes=path.stat().st_size,
    )
    run.encrypted_key = files.new_key(run.pk)
    files.save(run.pk, run.encrypted_key, files.FILE, path)
    with transaction.atomic():
        run.save(force_insert=True)
        audit.record(by, "imported_file", data_set, after={"import": str(run.pk), "dry_run": is_dry_run})
        wake(run)
    return run


def change_settings(run: DataImport, patch: object) -> None:
    """Answer questions: read the file again with more settings. Raises ImportSettingsWrong, ImportStateWrong."""
    if not isinstance(patch, dict):
        raise ImportSettingsWrong(reason="settings: must be an object")
    given = checked(run.data_set, import_settings.merged(run.given, patch))
    _change(run, (ImportState.NEEDS_ANSWERS,), state=ImportState.READING, given=given)
    wake(run)


def confirm(run: DataImport, *, is_dry_run: bool) -> None:
    """Go on after the preview, or after a dry run. Raises ImportStateWrong."""
    if run.state == ImportState.FINISHED and run.is_dry_run and not is_dry_run:
        counts = {"position": 0, "stored": 0, "new": 0, "replaced": 0}
        _change(
            run,
            (ImportState.FINISHED,),
            state=ImportState.RUNNING,
            finished_at=None,
            is_dry_run=False,
            is_converted=False,
            **counts,
        )
    else:
        next_state = ImportState.READING
        _change(run, (ImportState.NEEDS_ANSWERS,), state=next_state, waits=False, is_dry_run=is_dry_run)
    wake(run)


def pause(run: DataImport) -> None:
    """Raises ImportStateWrong."""
    _change(run, (ImportState.RUNNING,), state=ImportState.PAUSED)


def resume(run: DataImport) -> None:
    """Raises ImportStateWrong."""
    _change(run, (ImportState.PAUSED,), state=ImportState.RUNNING)
    wake(run)


def cancel(run: DataImport) -> None:
    """End an import. What is stored stays. Raises ImportStateWrong."""
    _change(run, UNFINISHED, state=ImportState.CANCELLED, finished_at=timezone.now())


def wake(run: DataImport) -> None:
    """Publish the task when the transaction commits."""
    if run.state in WORKING:
        publishing.enqueue(app.signature(WORK_TASK), str(run.pk))


def save_settings(data_set: DataSet, given: Json) -> bool:
    """Save settings under their name, `save_as`, if they have one. Return whether this changed anything."""
    name = str(given.get("save_as", "")).strip()
    kept = {key: value for key, value in given.items() if key != "save_as"}
    if not name or SavedImportSettings.objects.filter(data_set=data_set, name=name, settings=kept).exists():
        return False
    SavedImportSettings.objects.update_or_create(data_set=data_set, name=name, defaults={"settings": kept})
    old = SavedImportSettings.objects.filter(data_set=data_set).order_by("-changed_at")[MAX_SAVED:]
    SavedImportSettings.objects.filter(pk__in=[one.pk for one in old]).delete()
    return True


def _change(run: DataImport, states: tuple[str, ...], **changes: Any) -> None:
    """Change an import that is in one of these states. A worker that holds it loses its lease, and rolls back."""
    row = DataImport.objects.filter(pk=run.pk, state__in=states)
    if not row.update(**changes, holder="", seen_at=Now(), changed_at=Now()):
        run.refresh_from_db(fields=["state"])
        raise ImportStateWrong(state=run.state)
    run.refresh_from_db()


def _printable(name: str) -> str:
    return "".join(one for one in name.replace("\\", "/").rpartition("/")[2] if one.isprintable())


def actor_of_token(token: AccessToken, ip_address: str | None) -> audit.Actor:
    return audit.Actor(kind=ActorKind.TOKEN, id=str(token.pk), label=token.prefix, ip_address=ip_address)
