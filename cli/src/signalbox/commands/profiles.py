"""Profiles: the URL in a file, the secrets in the keyring of the system. Variables of the environment come first."""

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keyring
import platformdirs
from keyring.errors import KeyringError

from signalbox.commands.files import replacing
from signalbox.errors import SignalboxError

SERVICE = "signalbox"
USUAL = "default"
URL, LOCAL = "SIGNALBOX_URL", "http://127.0.0.1:8000"
# Secret → the variables that may hold it. The second ones are those of `.demo.env`.
VARIABLES = {
    "key": ("SIGNALBOX_KEY", "NOTIFY_API_KEY"),
    "data_token": ("SIGNALBOX_DATA_TOKEN", "DATA_TOKEN"),
    "sandbox_token": ("SANDBOX_TOKEN",),
}
_KEYRING_FAILS = (KeyringError, ImportError, AttributeError, OSError, RuntimeError)  # its backends are plug-ins
_NO_KEYRING = "This machine has no keyring. Set SIGNALBOX_KEY in the environment, or install one."


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    name: str
    url: str

    def secret(self, kind: str) -> str | None:
        """Return a secret of VARIABLES from the environment, else from the keyring, or None."""
        for variable in VARIABLES[kind]:
            if value := os.environ.get(variable):
                return value
        try:
            return keyring.get_password(SERVICE, f"{self.name} {kind}")
        except _KEYRING_FAILS:
            return None

    def keep(self, kind: str, secret: str) -> None:
        try:
            keyring.set_password(SERVICE, f"{self.name} {kind}", secret)
        except _KEYRING_FAILS as error:
            raise SignalboxError("The secret was not stored", fix=_NO_KEYRING) from error

    def forget(self) -> None:
        """Delete the profile and its secrets."""
        for kind in VARIABLES:
            try:
                keyring.delete_password(SERVICE, f"{self.name} {kind}")
            except _KEYRING_FAILS:
                continue
        write({name: one for name, one in read().items() if name != self.name})


def find(name: str | None, url: str | None) -> Profile:
    """Return the profile to use. A URL of the arguments or the environment replaces the stored one."""
    chosen = name or os.environ.get("SIGNALBOX_PROFILE") or USUAL
    stored = read().get(chosen)
    if name and stored is None and not url:
        raise SignalboxError(f"There is no profile {name}", fix=f"Create it: signalbox --profile {name} login.")
    return Profile(name=chosen, url=url or os.environ.get(URL) or (stored or {}).get("url") or LOCAL)


def read() -> dict[str, dict[str, Any]]:
    try:
        found = json.loads(file().read_text())
        return {str(name): {"url": str(one["url"])} for name, one in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise SignalboxError(f"{file()} cannot be read", fix="Correct it, or delete it and log in again.") from error


def write(profiles: dict[str, dict[str, Any]]) -> None:
    """Store the profiles, readable by their owner only."""
    path = file()
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, stat.S_IRUSR | stat.S_IWUSR) as new:
        new.write(json.dumps(profiles, indent=2).encode() + b"\n")


def file() -> Path:
    return platformdirs.user_config_path(SERVICE) / "profiles.json"
