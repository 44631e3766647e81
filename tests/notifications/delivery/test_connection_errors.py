"""Connection errors in the words for staff, from real errors of the libraries."""

import smtplib
import socket
import ssl

import pytest
import requests

from notifications.delivery.messages import TemporaryFailure
from notifications.delivery.providers import connection_errors
from notifications.delivery.providers.gateway import Gateway
from tests.notifications.delivery.gateways import ScriptedGateway
from tests.notifications.delivery.test_gateway import SMS


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(-2, "Name or service not known"), "The name of its host was not found."),
        (ssl.SSLCertVerificationError("x"), "Its TLS certificate is not trusted, or is for another host."),
        (ssl.SSLError("x"), "No safe connection (TLS) could be made to it."),
        (ConnectionRefusedError(111, "x"), "Its host refused the connection."),
        (TimeoutError(), "It did not answer in time."),
        (requests.ReadTimeout("over 15 s"), "It did not answer in time."),
        (ConnectionResetError(104, "x"), "The connection was closed before an answer came."),
        (smtplib.SMTPServerDisconnected("x"), "The connection was closed before an answer came."),
        (OSError(101, "Network is unreachable"), "No network leads to its host."),
    ],
)
def test_each_kind_of_error_has_a_sentence(error: Exception, words: str) -> None:
    wrapped = requests.ConnectionError(error)

    assert (connection_errors.sentence(error), connection_errors.sentence(wrapped)) == (words, words)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (["reset"], "The connection was closed before an answer came."),
        ([None], "It did not answer in time."),
    ],
)
def test_a_silent_gateway_is_described_without_its_url(script: list[str | None], words: str) -> None:
    with ScriptedGateway(script) as gateway, pytest.raises(TemporaryFailure) as failure:
        Gateway("g", f"{gateway.url}/secret/path", read_seconds=0.3).send(SMS)

    assert failure.value.reply == words


def test_a_host_that_is_not_found_is_named_as_such() -> None:
    with pytest.raises(TemporaryFailure) as failure:
        Gateway("g", "https://gateway.invalid/secret/path").send(SMS)

    assert failure.value.reply == "The name of its host was not found."
