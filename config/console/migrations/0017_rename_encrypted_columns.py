from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("operations", "0016_background_job_without_account")]

    operations = [
        migrations.RenameField("invite", "sealed_token", "encrypted_token"),
        migrations.RenameField("savedsearch", "sealed_term", "encrypted_term"),
    ]
