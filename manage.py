#!/usr/bin/env python3
"""Run a Signalbox command: `manage.py up`, `manage.py provision FILE`, `manage.py help`."""

import gc
import os
import sys
from importlib.util import find_spec
from pathlib import Path

VENV_PYTHON = Path(__file__).resolve().parent / ".venv" / "bin" / "python"


def main() -> None:
    is_complete = all(map(find_spec, ("django", "environs")))  # another program may have brought Django alone
    if not is_complete and VENV_PYTHON.exists() and Path(sys.prefix) != VENV_PYTHON.parent.parent:
        # `./manage.py` was called outside the environment that `make run` created, so switch to that environment.
        os.execv(VENV_PYTHON, [str(VENV_PYTHON), *sys.argv])  # noqa: S606  a fixed path, no shell

    if sys.argv[1:] in (["--version"], ["version"]):
        from config.version import VERSION  # Django would print its own version

        sys.stdout.write(f"Signalbox {VERSION}\n")
        return

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line  # not at the top: Django may be missing there

    if sys.argv[1:2] in (["up"], ["worker"]):
        gc.disable()  # until they have forked: imports make no garbage, and collections take a seventh of their time
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
