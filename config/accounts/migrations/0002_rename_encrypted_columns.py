from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_second_factor")]

    operations = [migrations.RenameField("totpdevice", "sealed_key", "encrypted_key")]
