"""Remove the second factor of an operator who has lost the phone and the recovery codes."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from config.accounts import second_factor
from config.audit.models import AuditEvent
from config.console import audit_sentences
from tests.config.accounts.codes import enrolled, is_in, password


def test_it_removes_the_factor_ends_the_sessions_and_records_it(operator, client):
    enrolled(operator)
    client.force_login(operator)

    call_command("reset_second_factor", "mina")

    assert second_factor.device_of(operator) is None
    assert not is_in(client)
    assert audit_sentences.sentence(AuditEvent.objects.get()) == "Command line reset the second factor of “mina”"
    browser = Client()
    password(browser)
    assert is_in(browser)


@pytest.mark.parametrize(
    ("name", "why"), [("nobody", "There is no account nobody."), ("mina", "mina has no second factor.")]
)
def test_it_explains_why_it_changes_nothing(operator, name, why):
    with pytest.raises(CommandError, match=why):
        call_command("reset_second_factor", name)
