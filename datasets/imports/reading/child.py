"""The functions that run in the child process. They import the readers there: other processes never need them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datasets.imports.reading.inspecting import Inspection

Json = dict[str, Any]  # Any: JSON


def inspect(path: str, folder: str, given: Json, set_ids: Sequence[str], max_bytes: int) -> "Inspection":
    from datasets.imports.reading import inspecting

    return inspecting.inspect(path, folder, given, set_ids, max_bytes)


def convert(
    path: str,
    folder: str,
    settings: Json,
    names: Sequence[str],
    set_ids: Sequence[str],
    max_bytes: int,
    is_dry: bool,
    schema: str = "",
) -> Json:
    from datasets.imports.reading import converting

    return converting.convert(path, folder, settings, names, set_ids, max_bytes, is_dry, schema)
