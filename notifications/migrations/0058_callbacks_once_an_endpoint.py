from django.db import migrations, models

from config.databases import concurrently


class Migration(migrations.Migration):
    """Let several endpoints get one event. The new indexes come before the old constraints go."""

    atomic = False

    dependencies = [
        ('notifications', '0057_callback_events'),
    ]

    operations = [
        concurrently.AddUniqueIndex(
            model_name='callbackdelivery',
            constraint=models.UniqueConstraint(condition=models.Q(('notification__isnull', False)), fields=('notification', 'status', 'endpoint'), name='callback_delivery_of_message'),
        ),
        concurrently.AddUniqueIndex(
            model_name='callbackdelivery',
            constraint=models.UniqueConstraint(condition=models.Q(('received_text__isnull', False)), fields=('received_text', 'endpoint'), name='callback_delivery_of_text'),
        ),
        concurrently.AddUniqueIndex(
            model_name='callbackdelivery',
            constraint=models.UniqueConstraint(condition=models.Q(('unsubscribe_request__isnull', False)), fields=('unsubscribe_request', 'endpoint'), name='callback_delivery_of_request'),
        ),
        concurrently.AddUniqueIndex(
            model_name='callbackdelivery',
            constraint=models.UniqueConstraint(condition=models.Q(('suppression__isnull', False)), fields=('suppression', 'endpoint'), name='callback_delivery_of_suppression'),
        ),
        concurrently.AddUniqueIndex(
            model_name='callbackdelivery',
            constraint=models.UniqueConstraint(condition=models.Q(('bulk_send__isnull', False)), fields=('bulk_send', 'endpoint'), name='callback_delivery_of_bulk_send'),
        ),
        migrations.RemoveConstraint(
            model_name='callbackdelivery',
            name='callback_delivery_once_a_status',
        ),
        migrations.RemoveConstraint(
            model_name='callbackdelivery',
            name='callback_delivery_once_a_text',
        ),
        migrations.RemoveConstraint(
            model_name='callbackdelivery',
            name='callback_delivery_once_a_request',
        ),
    ]
