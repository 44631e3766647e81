from django.db import migrations, models

from config.databases import concurrently


class Migration(migrations.Migration):
    """Add the index of the texts of one sender, while texts are received."""

    atomic = False
    dependencies = [("notifications", "0052_template_tags_defaults_languages")]

    operations = [
        concurrently.AddIndex(
            model_name="receivedtext",
            index=models.Index(
                fields=["user_number", "service", "-created_at", "-id"], name="received_text_of_sender"
            ),
        ),
    ]
