import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('notifications', '0069_charged_parts'),
    ]

    operations = [
        migrations.AddField(
            model_name='callbackdelivery',
            name='received_email',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, to='notifications.receivedemail'),
        ),
    ]
