from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0009_message_log"),
    ]

    operations = [
        migrations.AlterModelOptions(name="notification", options={"verbose_name": "message"}),
    ]
