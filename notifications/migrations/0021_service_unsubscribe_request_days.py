from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0020_unsubscribe_callbacks"),
    ]

    operations = [
        migrations.AddField(
            model_name="service",
            name="unsubscribe_request_days",
            field=models.PositiveSmallIntegerField(
                db_default=365, default=365, verbose_name="keep done unsubscribe requests for (days)"
            ),
        ),
        migrations.AddConstraint(
            model_name="service",
            constraint=models.CheckConstraint(
                condition=models.Q(("unsubscribe_request_days__gte", 30), ("unsubscribe_request_days__lte", 730)),
                name="service_unsubscribe_requests_30_to_730",
            ),
        ),
    ]
