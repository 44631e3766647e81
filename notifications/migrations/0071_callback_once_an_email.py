from django.db import migrations, models

from config.databases import concurrently


class Migration(migrations.Migration):
    """Let an endpoint get the event of an email once. The index is built while callbacks are sent."""

    atomic = False

    dependencies = [
        ('notifications', '0070_callbacks_of_received_emails'),
    ]

    operations = [
        concurrently.AddUniqueIndex(
            model_name='callbackdelivery',
            constraint=models.UniqueConstraint(condition=models.Q(('received_email__isnull', False)), fields=('received_email', 'endpoint'), name='callback_delivery_of_email'),
        ),
    ]
