"""The encrypted columns of accounts."""

from config.accounts.invite import Invite
from config.accounts.models import TotpDevice
from config.encrypted_columns import EncryptedColumn

ENCRYPTED_COLUMNS = (EncryptedColumn(TotpDevice, "encrypted_key"), EncryptedColumn(Invite, "encrypted_token"))
