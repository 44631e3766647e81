from django.core.management import CommandError
from django.db import migrations, models


def refuse_zero(apps, schema_editor):
    """Raise CommandError with a line for each service that may not be called: which limit it needs, operators know."""
    names = apps.get_model("notifications", "Service").objects.filter(rate_limit_per_minute=0).values_list("name")
    lines = [f"The service “{name}” has a rate limit of 0, with which every call is refused." for (name,) in names]
    if lines:
        raise CommandError("\n".join([*lines, "Set it to 1 or more in the console, then migrate again."]))


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0028_senders_unique_in_any_case"),
    ]

    operations = [
        migrations.RunPython(refuse_zero, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="service",
            constraint=models.CheckConstraint(
                condition=models.Q(rate_limit_per_minute__gte=1), name="service_rate_limit_1_or_more"
            ),
        ),
    ]
