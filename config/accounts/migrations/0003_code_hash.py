from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_rename_encrypted_columns")]

    operations = [
        migrations.RemoveConstraint("recoverycode", "recovery_code_digest_unique"),
        migrations.RenameField("recoverycode", "digest", "code_hash"),
        migrations.AddConstraint(
            "recoverycode",
            models.UniqueConstraint(fields=["user", "code_hash"], name="recovery_code_hash_unique"),
        ),
    ]
