import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from config import mailboxes


def keep_the_first(apps, schema_editor):
    """Delete the later identities of an account at one issuer: the first was bound by the person the account is for."""
    identities = apps.get_model("operations", "SignOnIdentity").objects
    seen = set()
    for pk, *of_account in identities.order_by("pk").values_list("pk", "user_id", "issuer"):
        if tuple(of_account) in seen:
            identities.filter(pk=pk).delete()
        seen.add(tuple(of_account))


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
    few_rows = "three at most for each account of the console"

    replaces = [
        ("operations", "0026_one_identity_of_an_account"),
        ("operations", "0027_account_names"),
    ]
    dependencies = [
        ("operations", "0001_version_1_1"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(keep_the_first, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            model_name="signonidentity",
            constraint=models.UniqueConstraint(fields=["user", "issuer"], name="sign_on_identity_one_an_account"),
        ),
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
