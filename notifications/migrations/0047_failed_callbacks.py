from django.db import migrations, models

from config.databases import concurrently


class Migration(migrations.Migration):
    """Add the index of failed callbacks, while callbacks are written."""

    atomic = False
    dependencies = [("notifications", "0046_pauses_and_results_of_providers")]

    operations = [
        concurrently.AddIndex(
            model_name="callbackdelivery",
            index=models.Index(
                fields=["finished_at"], condition=models.Q(state="given-up"), name="callback_delivery_given_up"
            ),
        ),
    ]
