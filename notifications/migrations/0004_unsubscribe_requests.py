import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('notifications', '0003_client_tries'),
    ]

    operations = [
        migrations.CreateModel(
            name='UnsubscribeRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('notification', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='unsubscribe_request', to='notifications.notification')),
            ],
        ),
    ]
