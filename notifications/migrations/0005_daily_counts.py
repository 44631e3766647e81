import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('notifications', '0004_unsubscribe_requests'),
    ]

    operations = [
        migrations.CreateModel(
            name='DailyCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('channel', models.CharField(choices=[('sms', 'Text message'), ('email', 'Email')], max_length=5)),
                ('key_type', models.CharField(choices=[('live', 'Live'), ('team', 'Team and guest list'), ('test', 'Test')], max_length=4)),
                ('status', models.CharField(choices=[('created', 'Created'), ('sending', 'Sending'), ('sent', 'Sent'), ('pending', 'Pending'), ('delivered', 'Delivered'), ('temporary-failure', 'Temporary Failure'), ('permanent-failure', 'Permanent Failure'), ('technical-failure', 'Technical Failure')], max_length=20)),
                ('n', models.PositiveIntegerField(default=0)),
                ('service', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='notifications.service')),
                ('template', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='notifications.template')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('service', 'day', 'template', 'key_type', 'status'), name='daily_count_unique')],
            },
        ),
    ]
