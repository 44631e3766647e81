from django.db import migrations, models

from config.databases import concurrently


class Migration(migrations.Migration):
    """Let an endpoint get the event of a data set once. The index is built while callbacks are sent."""

    atomic = False

    dependencies = [
        ('notifications', '0073_callbacks_of_data_sets'),
    ]

    operations = [
        concurrently.AddUniqueIndex(
            model_name='callbackdelivery',
            constraint=models.UniqueConstraint(condition=models.Q(('data_set_event__isnull', False)), fields=('data_set_event', 'endpoint'), name='callback_delivery_of_data_set'),
        ),
    ]
