"""The only reader of os.environ.

A value comes from the file that `NAME_FILE` names, else from the environment, else from `.env`. A wrong value stops the
start with one line that names the variable. On a developer's machine, missing secrets are created in `.demo.env`.
"""

import os
import secrets
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from dotenv import dotenv_values
from environs import EnvError, EnvValidationError, FileAwareEnv

ROOT = Path(__file__).resolve().parent.parent
PRODUCTION_VARIABLES = Path("/etc/signalbox/environment")  # where docs/operations.md keeps them
DEMO_ENV = Path(os.environ.get("VAR_DIR", ROOT)) / ".demo.env"  # in the folder of the state that it belongs to

env = FileAwareEnv(strip_whitespace=True)  # a file that NAME_FILE names usually ends with a line break

_given: set[str] = set()
_origins: dict[str, str] = {}  # name of each variable in the environment → its origin


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Exit with code 1 and one line, without a traceback, if the block finds a wrong setting."""
    try:
        yield
    except (ValueError, OSError, ImproperlyConfigured) as error:
        raise SystemExit(_error_line(error)) from None


def _error_line(error: Exception) -> str:
    if isinstance(error, EnvValidationError) and isinstance(error.error_messages, list):
        name = str(error).split('"')[1]  # environs gives the name in the text only
        return f"{name} {', '.join(str(message) for message in error.error_messages)}"
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}. Set VAR_DIR to a folder that the service's user may write to."
    return str(error)


def load() -> None:
    """Read `.env` and, on a developer's machine, `.demo.env`. They do not override the environment.

    Tests read neither, so that a developer's settings do not change their results.
    """
    os.umask(0o077)  # only this user can read new files; every process calls this before it writes files
    _note_origin("environment")
    if environment() == "test":
        return
    env.read_env(str(ROOT / ".env"), recurse=False)
    _note_origin(".env")
    _given.update(os.environ)
    check_variables_are_here(PRODUCTION_VARIABLES)
    if is_local() and DEMO_ENV.exists():
        env.read_env(str(DEMO_ENV), recurse=False)


def _note_origin(origin: str) -> None:
    for name in os.environ:
        _origins.setdefault(name, origin)


def origins() -> dict[str, list[str]]:
    """Return the origins of the variables: origin → sorted names, without values."""
    found: dict[str, list[str]] = {}
    for name in sorted(env.dump()):
        if f"{name}_FILE" in os.environ:
            origin = "file"
        else:
            origin = _origins.get(name, ".demo.env") if name in os.environ else "default"
        found.setdefault(origin, []).append(name)
    return found


def check_variables_are_here(kept: Path) -> None:
    """Raise EnvError for a command that runs in production without its variables. It would use another database.

    kept: the file with the variables; its folder may be unreadable
    """
    if env.str("ENVIRONMENT", ""):
        return
    try:
        is_production = kept.exists()
    except PermissionError:
        is_production = True
    if is_production:
        raise EnvError(
            f"ENVIRONMENT is not set, but the variables of production are in {kept}: run the command with them, as "
            "docs/operations.md says under Commands, or set ENVIRONMENT=local"
        )


def is_local() -> bool:
    return environment() == "local"


def environment() -> str:
    """Return `local`, `test` or `production`."""
    name: str = env.str("ENVIRONMENT", "local")
    if name not in {"local", "test", "production"}:
        raise EnvError(f"ENVIRONMENT must be local, test or production, not {name!r}")
    return name


def secret(name: str) -> str:
    """Return a secret. On a developer's machine, create it at first use.

    Raises environs.EnvError, which names the variable, if it is missing in production, or if its file is blank.
    """
    has_file = f"{name}_FILE" in os.environ
    if is_local() and not has_file and not env.str(name, ""):
        remember(name, _new_secret(name))
    value: str = env.str(name)
    if not value:
        raise EnvError(f"{name} must not be blank")
    return value


def remember(name: str, value: str) -> None:
    """Append one variable to `.demo.env` (mode 600) and set it in this process's environment.

    The first line of a name counts. Two processes that start at once agree, because both read the file again.
    """
    descriptor = os.open(DEMO_ENV, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "a") as file:
        file.write(f"{name}={value}\n")
    first = next(line for line in DEMO_ENV.read_text().splitlines() if line.startswith(f"{name}="))
    os.environ[name] = first.partition("=")[2]


def is_given(name: str) -> bool:
    """Return whether the environment, `.env` or `.demo.env` sets the variable."""
    return name in _given


def demo_values() -> dict[str, str]:
    """Return the variables of `.demo.env`, name → value."""
    return {name: value for name, value in dotenv_values(DEMO_ENV, interpolate=False).items() if value is not None}


def private_folder(folder: Path) -> Path:
    """Return the folder, created if needed and closed to other users. Raises OSError.

    Folders of other users, and shared ones such as /tmp, keep their permissions.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if found.st_uid == os.geteuid() and found.st_mode & 0o077 and not found.st_mode & stat.S_ISVTX:
        folder.chmod(0o700)
    return folder


def folder_of(name: str, folder: Path) -> None:
    """Create the private folder of a variable. Raises ValueError, which names the variable."""
    try:
        private_folder(folder)
    except OSError as error:
        raise ValueError(f"{name}: {folder} cannot be created: {error.strerror}") from error


def keep(values: dict[str, str]) -> None:
    """Set these variables in `.demo.env`."""
    lines = [f"{name}={shlex.quote(value)}\n" for name, value in (demo_values() | values).items()]
    beside = DEMO_ENV.with_suffix(".new")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.writelines(lines)
    beside.replace(DEMO_ENV)


def _new_secret(name: str) -> str:
    if name == "FIELD_KEYS":
        return Fernet.generate_key().decode()
    return secrets.token_urlsafe(48)


with one_line_errors():
    load()
