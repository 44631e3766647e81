from django.db import migrations, models


def keep_the_first(apps, schema_editor):
    """Delete the later identities of an account at one issuer: the first was bound by the person the account is for."""
    identities = apps.get_model("operations", "SignOnIdentity").objects
    seen = set()
    for pk, *of_account in identities.order_by("pk").values_list("pk", "user_id", "issuer"):
        if tuple(of_account) in seen:
            identities.filter(pk=pk).delete()
        seen.add(tuple(of_account))


class Migration(migrations.Migration):
    few_rows = "one row for each account that signs in through a provider"

    dependencies = [("operations", "0025_sign_on_identity")]

    operations = [
        migrations.RunPython(keep_the_first, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            model_name="signonidentity",
            constraint=models.UniqueConstraint(fields=["user", "issuer"], name="sign_on_identity_one_an_account"),
        ),
    ]
