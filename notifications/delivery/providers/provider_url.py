"""The parsed URL of a provider in the setting PROVIDERS. Errors leave out the URL, because it contains passwords."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderUrl:
    """scheme://user:password@host:port/path?parameters, decoded. Missing parts are empty; a missing port is None."""

    scheme: str
    user: str
    password: str
    host: str
    port: int | None
    path: str
    parameters: Mapping[str, str]

    @classmethod
    def parse(cls, url: str, *, known: Collection[str]) -> Self:
        """Raise ValueError for an invalid URL, an unknown parameter or a repeated parameter."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise ValueError("must be followed by a valid URL") from error
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        parameters = dict(pairs)
        if len(parameters) < len(pairs):
            raise ValueError("has a parameter twice")
        if unknown := sorted(set(parameters) - set(known)):
            raise ValueError(f"has no parameter {unknown[0]}; there is {', '.join(sorted(known)) or 'none'}")
        return cls(
            scheme=parts.scheme,
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
            host=parts.hostname or "",
            port=port,
            path=parts.path,
            parameters=parameters,
        )

    @property
    def is_local(self) -> bool:
        return self.host in ("localhost", "127.0.0.1", "::1")

    @property
    def origin(self) -> str:
        """Return `host:port` in the form of a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}" if self.port else host

    def number(self, name: str, default: int, *, least: int = 1) -> int:
        """Return a parameter as a whole number. Raises ValueError."""
        value = self.parameters.get(name, str(default))
        if not (value.isascii() and value.isdigit() and int(value) >= least):
            raise ValueError(f"has a parameter {name} that must be a whole number from {least} on")
        return int(value)

    def is_yes(self, name: str, *, default: bool) -> bool:
        """Return a parameter that is yes or no. Raises ValueError."""
        value = self.parameters.get(name, "yes" if default else "no")
        if value not in ("yes", "no"):
            raise ValueError(f"has a parameter {name} that must be yes or no")
        return value == "yes"

    def are_receipts_on(self, *, can_check_receipts: bool, by_default: bool = True) -> bool:
        """Return the parameter `receipts`; its default is whether receipts are possible. Raises ValueError."""
        are_receipts_on = self.is_yes("receipts", default=can_check_receipts and by_default)
        if are_receipts_on and not can_check_receipts:
            raise ValueError("has receipts=yes, but no secret to check delivery receipts")
        return are_receipts_on

    def without(self, name: str) -> Self:
        return replace(self, parameters={key: value for key, value in self.parameters.items() if key != name})
