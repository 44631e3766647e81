from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("operations", "0019_names_of_retention_rules")]

    operations = [
        migrations.RenameField("invite", "digest", "token_hash"),
        migrations.RenameField("auditevent", "network_address", "ip_address"),
        migrations.AlterField(
            "auditevent",
            "ip_address",
            models.GenericIPAddressField(blank=True, null=True, verbose_name="IP address"),
        ),
        migrations.RenameField("bulkjobrun", "network_address", "ip_address"),
    ]
