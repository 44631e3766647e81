"""The stored secret of a second factor is encrypted, bound to its row, and included in key rotation."""

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command

from config.accounts.models import TotpDevice
from config.accounts.saved_search import SavedSearch
from config.encryption import DecryptionFailed
from tests.config.accounts.codes import enrolled


def test_rotating_the_keys_encrypts_it_again(operator, settings, capsys):
    key = enrolled(operator)
    old, new = settings.FIELD_KEYS[0], Fernet.generate_key().decode()
    settings.FIELD_KEYS = [new, old]
    call_command("rotate_keys")
    settings.FIELD_KEYS = [new]

    assert TotpDevice.objects.get().key == key
    assert "totpdevice.encrypted_key: 1" in capsys.readouterr().out


def test_rotating_the_keys_encrypts_saved_searches_again(operator, settings):
    search = SavedSearch(user=operator, kind="to")
    search.set_term("ana@example.org")
    search.save()
    old, new = settings.FIELD_KEYS[0], Fernet.generate_key().decode()
    settings.FIELD_KEYS = [new, old]
    call_command("rotate_keys")
    settings.FIELD_KEYS = [new]

    assert SavedSearch.objects.get().term == "ana@example.org"


def test_without_the_old_key_the_rotation_names_the_column(operator, settings):
    enrolled(operator)
    settings.FIELD_KEYS = [Fernet.generate_key().decode()]

    with pytest.raises(CommandError, match=r"totpdevice\.encrypted_key"):
        call_command("rotate_keys")


def test_a_secret_moved_to_another_row_cannot_be_decrypted(operator, django_user_model):
    enrolled(operator)
    jo = django_user_model.objects.create_user("jo")
    enrolled(jo)
    mine = TotpDevice.objects.get(user=operator)

    TotpDevice.objects.filter(user=jo).update(encrypted_key=mine.encrypted_key)

    with pytest.raises(DecryptionFailed):
        _ = TotpDevice.objects.get(user=jo).key
