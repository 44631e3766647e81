import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0033_words_for_the_console"),
    ]

    operations = [
        migrations.AlterField(
            model_name="service",
            name="active",
            field=models.BooleanField(
                default=True, help_text="An archived service keeps its data and rejects every API call."
            ),
        ),
        migrations.AlterField(
            model_name="service",
            name="file_contact",
            field=models.CharField(
                blank=True,
                help_text="A link that begins with https://, an email address or a phone number.",
                max_length=255,
            ),
        ),
        migrations.AlterField(
            model_name="service",
            name="live",
            field=models.BooleanField(
                default=False, help_text="A service in trial can send only to its team and guest list."
            ),
        ),
        migrations.AlterField(
            model_name="unsubscriberequest",
            name="created_at",
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name="requested"),
        ),
    ]
