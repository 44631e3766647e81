import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("operations", '0023_link_audit_events'),
    ]

    operations = [
        migrations.CreateModel(
            name='ReadEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user_id', models.CharField(max_length=64)),
                ('user_label', models.CharField(max_length=255)),
                ('service_id', models.UUIDField(null=True)),
                ('data_set_id', models.BigIntegerField(null=True)),
                ('object_kind', models.CharField(max_length=40)),
                ('object_id', models.CharField(max_length=64)),
                ('request_id', models.CharField(blank=True, max_length=36)),
                ('ip_address', models.GenericIPAddressField(null=True, verbose_name='IP address')),
            ],
            options={
                'verbose_name': 'read log entry',
                'verbose_name_plural': 'read log entries',
                'db_table': 'operations_read_event',
                'ordering': ['-at', '-id'],
                'indexes': [models.Index(fields=['-at', '-id'], name='read_event_at'), models.Index(fields=['object_id', 'user_id', '-at'], name='read_event_object')],
            },
        ),
    ]
