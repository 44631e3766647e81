import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('notifications', '0072_failing_calls'),
    ]

    operations = [
        migrations.AddField(
            model_name='callbackendpoint',
            name='data_sets',
            field=models.JSONField(db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.CreateModel(
            name='DataSetEvent',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('data_set_id', models.BigIntegerField()),
                ('name', models.CharField(max_length=150)),
                ('path', models.CharField(max_length=150)),
                ('state', models.CharField(max_length=20)),
                ('last_write_at', models.DateTimeField(null=True)),
                ('expected_every_seconds', models.PositiveIntegerField(null=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(fields=['created_at'], name='data_set_event_created')],
            },
        ),
        migrations.AddField(
            model_name='callbackdelivery',
            name='data_set_event',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, to='notifications.datasetevent'),
        ),
    ]
