"""Add pauses of sending, and what providers answered lately."""

import django.utils.timezone
from django.db import migrations, models

_RESULTS = [("accepted", "Accepted"), ("permanent", "Rejected"), ("temporary", "Failed"), ("uncertain", "Unknown")]


def _key() -> tuple[str, models.BigAutoField]:
    return ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))


class Migration(migrations.Migration):
    dependencies = [("notifications", "0045_bulk_tables")]

    operations = [
        migrations.CreateModel(
            name="SendingPause",
            fields=[
                _key(),
                ("kind", models.CharField(choices=[("channel", "Channel"), ("provider", "Provider")], max_length=8)),
                ("name", models.CharField(max_length=60)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                ("by", models.CharField(max_length=255)),
                ("ended_at", models.DateTimeField(null=True)),
                ("ended_by", models.CharField(blank=True, max_length=255)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(ended_at__isnull=True),
                        fields=("kind", "name"),
                        name="sending_pause_one_at_a_time",
                    )
                ]
            },
        ),
        migrations.CreateModel(
            name="ProviderResult",
            fields=[
                _key(),
                ("provider", models.CharField(max_length=60)),
                ("at", models.DateTimeField()),
                ("result", models.CharField(choices=_RESULTS, max_length=9)),
                ("error", models.CharField(blank=True, max_length=100)),
                ("ms", models.PositiveIntegerField()),
            ],
            options={"indexes": [models.Index(fields=["provider", "-at", "-id"], name="provider_result_newest")]},
        ),
        migrations.CreateModel(
            name="ProviderCount",
            fields=[
                _key(),
                ("provider", models.CharField(max_length=60)),
                ("began_at", models.DateTimeField()),
                ("result", models.CharField(choices=_RESULTS, max_length=9)),
                ("number", models.PositiveIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("began_at", "provider", "result"), name="provider_count_unique")
                ]
            },
        ),
        migrations.CreateModel(
            name="OpenBreaker",
            fields=[
                _key(),
                ("provider", models.CharField(max_length=60)),
                ("holder", models.CharField(max_length=64)),
                ("half_open_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("provider", "holder"), name="open_breaker_one_a_process")
                ]
            },
        ),
    ]
