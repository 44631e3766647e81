from django.db import IntegrityError, migrations, transaction
from django.utils import timezone

from config import mailboxes

_AT_ONCE = 5000
_MERGED = "Another spelling of the email address is suppressed."
# The model, the column with the key, and the column with the email address as it was given.
_COLUMNS = (
    ("TeamMember", "normalised_email", "email_address"),
    ("GuestListEntry", "normalised", "value"),
    ("Suppression", "normalised_recipient", "recipient"),
    ("ReceivedEmail", "normalised_sender", "sender"),
    ("BulkRow", "normalised_recipient", "recipient"),
    ("Notification", "normalised_recipient", "recipient"),
)


def use_keys(apps, schema_editor):
    """Store the key of the mailbox instead of the email address in lower case. Only hosts beyond ASCII differ."""
    for name, column, given in _COLUMNS:
        model = apps.get_model("notifications", name)
        for pk, stored, _ in _rows(model, column, given):
            if not stored.isascii():
                _move(model, pk, column, mailboxes.key_of(stored))


def use_lower_case(apps, schema_editor):
    for name, column, given in _COLUMNS:
        model = apps.get_model("notifications", name)
        for pk, stored, text in _rows(model, column, given):
            if not text.isascii() and stored == mailboxes.key_of(text):
                _move(model, pk, column, text.lower())


def _rows(model, column, given):
    """Yield id, key and email address of all rows in the order of the ids, with one short statement a page."""
    last = None
    while True:
        rows = model.objects.order_by("pk") if last is None else model.objects.filter(pk__gt=last).order_by("pk")
        page = list(rows.values_list("pk", column, given)[:_AT_ONCE])
        yield from page
        if len(page) < _AT_ONCE:
            return
        last = page[-1][0]


def _move(model, pk, column, key):
    """Change a key. Merge the row if an equal one has the key: its list must name a mailbox once."""
    try:
        with transaction.atomic():
            model.objects.filter(pk=pk).update(**{column: key})
    except IntegrityError:
        if model.__name__ == "GuestListEntry":
            model.objects.filter(pk=pk).delete()
        elif model.__name__ == "Suppression":
            with transaction.atomic():
                _merge(model.objects.get(pk=pk), column, key)
        # A second team member stays a recipient: the first one's key stands for both.


def _merge(row, column, key):
    """Lift the suppression that ends first. The other one continues."""
    same = {"service": row.service_id, "channel": row.channel, "reason": row.reason}
    equal = type(row).objects.get(**same, **{column: key}, lifted_at=None)
    is_longer = equal.expires_at is not None and (row.expires_at is None or row.expires_at > equal.expires_at)
    ended = equal if is_longer else row
    type(row).objects.filter(pk=ended.pk).update(lifted_at=timezone.now(), lift_reason=_MERGED)
    type(row).objects.filter(pk=row.pk).update(**{column: key})


class Migration(migrations.Migration):
    atomic = False  # it reads all messages, and each change is a transaction

    replaces = [("notifications", "0078_keys_of_mailboxes")]
    dependencies = [("notifications", "0002_unique_names")]

    operations = [migrations.RunPython(use_keys, use_lower_case)]
