"""Keep the templates of the service as files."""

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from signalbox.client import Signalbox
from signalbox.commands import template_files
from signalbox.commands.files import replacing
from signalbox.commands.running import client, show, show_rows

app = typer.Typer(name="templates", help="List templates, and keep them as files.", no_args_is_help=True)
Folder = Annotated[Path, typer.Argument(help="The folder with the files.")]
# Without these in a file, they are as in a new template.
USUAL: dict[str, Any] = {"unsubscribe_link": False, "respect_quiet_hours": False, "redact_personalisation": False}
USUAL |= {"archived": False, "tags": [], "defaults": {}, "translations": [], "subject": None, "language": "en"}
_OF_EMAILS = {"subject", "unsubscribe_link"}


@app.command("list")
def list_(kind: Annotated[str | None, typer.Option("--type", help="email or sms.")] = None) -> None:
    """List the templates. Example: signalbox templates list --type email"""
    with client() as signalbox:
        rows = signalbox.get_all_templates(kind)["templates"]
    show_rows(rows, ("id", "type", "version", "name"), nothing="No templates.")


@app.command()
def pull(folder: Folder) -> None:
    """Write a file for each template. Example: signalbox templates pull templates"""
    folder.mkdir(parents=True, exist_ok=True)
    files = {one["id"]: path for path, one in template_files.all_in(folder).items() if "id" in one}
    written = []
    with client() as signalbox:
        for template in _stored(signalbox).values():
            path = files.get(template["id"]) or _free(folder, template["name"])
            text = template_files.write(template, template_files.line_of_files(path))
            if not path.exists() or path.read_bytes() != text.encode():
                _replace(path, text)
                written.append(str(path))
    show({"written": written}, "\n".join([*written, f"{len(written)} files written."]))


@app.command()
def diff(folder: Folder) -> None:
    """Show what push would change. Exit code 1: something differs. Example: signalbox templates diff templates"""
    with client() as signalbox:
        changes = _changes(signalbox, folder)
    _show(changes)
    if changes:
        raise typer.Exit(1)


@app.command()
def push(
    folder: Folder,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    draft: Annotated[bool, typer.Option("--draft", help="Save changed texts as drafts.")] = False,
    breaking: Annotated[bool, typer.Option("--breaking", help="Publish changes although they break calls.")] = False,
    note: Annotated[str | None, typer.Option(help="A note for the new versions.")] = None,
) -> None:
    """Publish the changed files. The key must manage templates. Example: signalbox templates push templates --yes"""
    with client() as signalbox:
        changes = _changes(signalbox, folder)
        if not changes:
            show({"pushed": []}, "Nothing to push.")
            return
        if not yes:
            _show(changes)
            if not typer.confirm(f"Push {len(changes)} files?"):
                raise typer.Exit(1)
        pushed = []
        for path, (before, after) in changes.items():
            made = _push(signalbox, before, after, {"note": note, **({"state": "draft"} if draft else {})}, breaking)
            if before is None:
                _replace(path, template_files.write({**after, "id": made["id"]}, template_files.line_of_files(path)))
            pushed.append(str(path))
            typer.echo(f"{path} is {'saved as a draft' if draft else 'published'}.", err=True)
    show({"pushed": pushed}, f"{len(pushed)} files pushed.")


def _push(
    signalbox: Signalbox, before: dict[str, Any] | None, after: dict[str, Any], more: dict[str, Any], breaking: bool
) -> dict[str, Any]:
    fields = {name: value for name, value in after.items() if name != "id"}
    if before is None:
        created = {name: value for name, value in fields.items() if name != "archived" and value != USUAL.get(name)}
        return signalbox.create_template(**created, note=more["note"])
    changed = {name: value for name, value in fields.items() if value != before.get(name) and name != "type"}
    texts = {"name", "subject", "body", "language", "translations"} & changed.keys()
    if texts:
        changed |= {name: fields[name] for name in ("subject", "body") if fields.get(name) is not None}
        changed |= more | ({"breaks_calls": True} if breaking else {})
    return signalbox.update_template(before["id"], **changed)


def _stored(signalbox: Signalbox) -> dict[str, dict[str, Any]]:
    """Return all templates in use, with the fields of files, by id."""
    ids = [one["id"] for one in signalbox.get_all_templates()["templates"]]
    return {identifier: _fields(signalbox.get_managed_template(identifier)) for identifier in ids}


def _fields(template: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: template.get(name, USUAL.get(name)) for name in (*template_files.FIELDS, "body")}
    return {name: value for name, value in found.items() if template["type"] == "email" or name not in _OF_EMAILS}


def _changes(signalbox: Signalbox, folder: Path) -> dict[Path, tuple[dict[str, Any] | None, dict[str, Any]]]:
    """Return the stored template, or None, and the wanted one of each file that differs."""
    files, stored = template_files.all_in(folder), _stored(signalbox)
    by_name = {(one["name"], one["type"]): one for one in stored.values()}
    found: dict[Path, tuple[dict[str, Any] | None, dict[str, Any]]] = {}
    for path, wanted in files.items():
        before = stored.get(wanted.get("id", "")) or by_name.get((wanted.get("name"), wanted.get("type")))
        after = _fields({**USUAL, **wanted, **({"id": before["id"]} if before else {})})
        if before != after and not (before is None and after["archived"]):
            found[path] = (before, after)
    return found


def _show(changes: Mapping[Path, tuple[dict[str, Any] | None, dict[str, Any]]]) -> None:
    lines: list[str] = []
    for path, (before, after) in changes.items():
        old = template_files.write(before).splitlines() if before else []
        lines += difflib.unified_diff(old, template_files.write(after).splitlines(), "stored", str(path), lineterm="")
    changed = [{"file": str(path), "is_new": before is None} for path, (before, _) in changes.items()]
    show({"changed": changed}, "\n".join(lines) if lines else "No differences.")


def _replace(path: Path, text: str) -> None:
    with replacing(path) as new:
        new.write(text.encode())


def _free(folder: Path, name: str) -> Path:
    """Return a file name that is not in use."""
    path = folder / template_files.file_name(name)
    number = 2
    while path.exists():
        path = folder / f"{Path(template_files.file_name(name)).stem}-{number}.md"
        number += 1
    return path
