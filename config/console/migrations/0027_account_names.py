import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from config import mailboxes


def name_the_first(apps, schema_editor):
    """Store the names of the accounts. Of accounts with the same name, the first one gets it."""
    names = apps.get_model("operations", "AccountName").objects
    users = apps.get_model("auth", "User").objects.order_by("pk")
    first = {}
    for pk, username, email in users.values_list("pk", "username", "email"):
        for name in (username.casefold(), mailboxes.key_of(email)):
            first.setdefault(name, pk)
    first.pop("", None)
    names.bulk_create([names.model(name=name, user_id=pk) for name, pk in first.items()])


class Migration(migrations.Migration):
    few_rows = "two for each account of the console"

    dependencies = [
        ("operations", "0026_one_identity_of_an_account"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AccountName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=320)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "db_table": "operations_account_name",
                "constraints": [models.UniqueConstraint(fields=("name",), name="account_name_unique")],
            },
        ),
        migrations.RunPython(name_the_first, migrations.RunPython.noop),
    ]
