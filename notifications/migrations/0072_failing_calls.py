import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('notifications', '0071_callback_once_an_email'),
    ]

    operations = [
        migrations.AddField(
            model_name='templateversion',
            name='breaks_without',
            field=models.JSONField(db_default=[], default=list, editable=False),
        ),
        migrations.CreateModel(
            name='FailingCalls',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('calls', models.PositiveIntegerField(default=0)),
                ('last_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('key', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='failing_calls', to='notifications.apikey')),
                ('template', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='failing_calls', to='notifications.template')),
            ],
            options={
                'verbose_name_plural': 'failing calls',
                'indexes': [models.Index(fields=['day'], name='failing_calls_day')],
                'constraints': [models.UniqueConstraint(fields=('template', 'key', 'day'), name='failing_calls_unique')],
            },
        ),
    ]
