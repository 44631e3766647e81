"""Probes of providers: connect, sign in where the protocol has a sign-in without a message, and send nothing.

Source: docs/reference/console.md §3.14; docs/reference/security.md §11.
"""

import socket
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from notifications.delivery.messages import TemporaryFailure
from notifications.delivery.providers import HasServer, Provider, connection_errors
from notifications.delivery.providers.sandbox import SANDBOX

CONNECT_SECONDS = 3.0


@runtime_checkable
class SignsIn(Protocol):
    """A provider that can be signed in to without sending a message."""

    def sign_in(self) -> str:
        """Connect, sign in and disconnect. Return what was done. Raises TemporaryFailure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The result of a probe as a sentence for staff."""

    is_well: bool
    sentence: str


def probe(provider: Provider) -> Probe:
    """Test a provider without sending a message. It takes up to 25 s."""
    adapter = provider.adapter
    if provider.name == SANDBOX:
        return Probe(is_well=True, sentence="The sandbox is part of Signalbox, so there is nothing to connect to.")
    if isinstance(adapter, SignsIn):
        try:
            return Probe(is_well=True, sentence=f"{adapter.sign_in()} No message was sent.")
        except TemporaryFailure as failure:
            return Probe(is_well=False, sentence=_in_words(failure))
    if not isinstance(adapter, HasServer):
        return Probe(is_well=False, sentence="This kind of provider has no test. Send a message to yourself instead.")
    error = connection_error(adapter.server)
    if error is not None:
        return Probe(is_well=False, sentence=f"No connection to {_named(adapter)}. {connection_errors.sentence(error)}")
    sentence = f"Connected to {_named(adapter)}. The login cannot be tested without a message, and none was sent."
    return Probe(is_well=True, sentence=sentence)


def connection_error(server: tuple[str, int]) -> Exception | None:
    """Return why a connection to this host and port fails, or None."""
    try:
        socket.create_connection(server, CONNECT_SECONDS).close()
    except (OSError, ValueError) as error:  # ValueError: the host name cannot be encoded for DNS
        return error
    return None


def _in_words(failure: TemporaryFailure) -> str:
    if failure.opens_circuit:
        words = "The provider rejected the login. Correct the user name or password in PROVIDERS."
        return f"{words} It answered: {failure.reply}" if failure.reply else words
    return f"The connection failed. {failure.reply}".strip()


def _named(adapter: HasServer) -> str:
    host, port = adapter.server
    return f"{host}:{port}"
