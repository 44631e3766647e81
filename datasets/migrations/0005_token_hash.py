from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0004_one_form_of_idempotency_keys")]

    operations = [
        migrations.RemoveConstraint("accesstoken", "access_token_digest_unique"),
        migrations.RenameField("accesstoken", "digest", "token_hash"),
        migrations.AddConstraint(
            "accesstoken", models.UniqueConstraint(fields=["token_hash"], name="access_token_hash_unique")
        ),
        migrations.RemoveConstraint("dataset", "data_set_address_unique"),
        migrations.AddConstraint(
            "dataset", models.UniqueConstraint(fields=["group", "type"], name="data_set_path_unique")
        ),
    ]
