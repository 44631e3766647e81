from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models

move = import_module("notifications.migrations.0019_move_unsubscribe_requests").move


class Migration(migrations.Migration):
    """The table stays, without its foreign key, for the clean-up of processes of the previous version, which reads it."""

    few_rows = "those that processes of the previous version stored during the upgrade"
    dependencies = [("notifications", "0042_sending_rules")]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="earlierunsubscriberequest",
            name="notification",
            field=models.OneToOneField(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="notifications.notification",
            ),
        ),
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("EarlierUnsubscribeRequest")]),
    ]
